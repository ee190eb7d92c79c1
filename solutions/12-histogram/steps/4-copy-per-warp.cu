// Step 4: each warp has its own bins. Warps no longer meet, but this matters little: the lanes of
// one warp still take turns.

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024, and how many blocks at
// most, up to 4096.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 1056);

constexpr int BINS = 256;

// Calls count(value) for every byte of this thread: 16 at a time, and the last n % 16 one by one.
template <typename Count>
__device__ __forceinline__ void for_each_byte(const unsigned char *in, int n, Count count) {
    const uint4 *vectors = reinterpret_cast<const uint4 *>(in);
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n / 16; i += gridDim.x * blockDim.x) {
        uint4 vector = vectors[i];
        for (unsigned int word : {vector.x, vector.y, vector.z, vector.w}) {
            count(word & 0xff);
            count(word >> 8 & 0xff);
            count(word >> 16 & 0xff);
            count(word >> 24);
        }
    }
    int i = n / 16 * 16 + first;
    if (i < n) {
        count(in[i]);
    }
}

extern "C" __global__ void histogram(const unsigned char *in, unsigned int *bins, int n) {
    constexpr int LANES = 32;
    constexpr int COPIES = BLOCK_SIZE / LANES;
    __shared__ unsigned int copies[COPIES][BINS];
    for (int i = threadIdx.x; i < COPIES * BINS; i += blockDim.x) {
        copies[i / BINS][i % BINS] = 0;
    }
    __syncthreads();
    unsigned int *mine = copies[threadIdx.x / LANES];
    for_each_byte(in, n, [&](unsigned int value) { atomicAdd(&mine[value], 1); });
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        unsigned int sum = 0;
        for (int copy = 0; copy < COPIES; ++copy) {
            sum += copies[copy][bin];
        }
        atomicAdd(&bins[bin], sum);
    }
}
