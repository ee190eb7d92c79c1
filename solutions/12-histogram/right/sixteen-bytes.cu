//! style: 16 bytes at a time, taken apart in registers.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 1024);
LAUNCH_CONSTANT(MOST_BLOCKS, 264);

constexpr int BINS = 256;

extern "C" __global__ void histogram(const unsigned char *in, unsigned int *bins, int n) {
    __shared__ unsigned int mine[BINS];
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        mine[bin] = 0;
    }
    __syncthreads();

    int threads = gridDim.x * blockDim.x;
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int vectors = n / static_cast<int>(sizeof(uint4));
    auto count_word = [&](unsigned word) {
#pragma unroll
        for (int byte = 0; byte < 4; ++byte) {
            atomicAdd(&mine[word >> 8 * byte & 0xff], 1u);
        }
    };
    for (int i = thread; i < vectors; i += threads) {
        uint4 words = reinterpret_cast<const uint4 *>(in)[i];
        count_word(words.x);
        count_word(words.y);
        count_word(words.z);
        count_word(words.w);
    }
    for (int i = vectors * static_cast<int>(sizeof(uint4)) + thread; i < n; i += threads) {
        atomicAdd(&mine[in[i]], 1u);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        atomicAdd(&bins[bin], mine[bin]);
    }
}
