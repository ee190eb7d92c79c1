// cuda::pipeline: the next tile is under way while this one is used.

#include <cuda/pipeline>

constexpr int SIZE = 256;
constexpr int STAGES = 2;

// ANCHOR: pipeline
// Every block reverses each of its tiles.
extern "C" __global__ void reverse_tiles(const float *in, float *out, int tiles) {
    __shared__ float stage[STAGES][SIZE];
    auto pipe = cuda::make_pipeline(); // Of this thread alone.
    int t = threadIdx.x;
    in += blockIdx.x * tiles * SIZE;
    out += blockIdx.x * tiles * SIZE;

    auto start = [&](int tile) {
        pipe.producer_acquire();
        if (tile < tiles) {
            cuda::memcpy_async(&stage[tile % STAGES][t], &in[tile * SIZE + t], sizeof(float), pipe);
        }
        pipe.producer_commit();
    };
    start(0);
    for (int tile = 0; tile < tiles; ++tile) {
        pipe.consumer_wait(); // My own copy is complete,
        __syncthreads();      // and so are the others'; and all have left the stage that is filled next.
        start(tile + 1);
        out[tile * SIZE + t] = stage[tile % STAGES][SIZE - 1 - t];
        pipe.consumer_release();
    }
}
// ANCHOR_END: pipeline
