// Step 5, expert: each lane has a column of bins, which the warps of the block share. Lane l only
// ever touches bank l, so no two lanes of a warp meet, whatever the data are.

#include "course.cuh"

// A block takes 32 KiB of shared memory; four blocks of 512 threads fill an H200's multiprocessor.
// There are as many blocks as run at once, so that columns are cleared and merged once.
LAUNCH_CONSTANT(BLOCK_SIZE, 512);
LAUNCH_CONSTANT(MOST_BLOCKS, 528);

constexpr int BINS = 256;

// Calls count(value) for the 16 bytes of a vector.
template <typename Count> __device__ __forceinline__ void for_each_byte(uint4 vector, Count count) {
    for (unsigned int word : {vector.x, vector.y, vector.z, vector.w}) {
        count(word & 0xff);
        count(word >> 8 & 0xff);
        count(word >> 16 & 0xff);
        count(word >> 24);
    }
}

// Calls count(value) for every byte of this thread: UNROLL vectors are on their way at once, then
// one, then single bytes.
template <typename Count>
__device__ __forceinline__ void for_each_byte(const unsigned char *in, int n, Count count) {
    constexpr int UNROLL = 4;
    const uint4 *vectors = reinterpret_cast<const uint4 *>(in);
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    int i = first;
    for (; i + (UNROLL - 1) * threads < n / 16; i += UNROLL * threads) {
        uint4 loaded[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; ++k) {
            loaded[k] = vectors[i + k * threads];
        }
#pragma unroll
        for (int k = 0; k < UNROLL; ++k) {
            for_each_byte(loaded[k], count);
        }
    }
    for (; i < n / 16; i += threads) {
        for_each_byte(vectors[i], count);
    }
    int last = n / 16 * 16 + first;
    if (last < n) {
        count(in[last]);
    }
}

extern "C" __global__ void histogram(const unsigned char *in, unsigned int *bins, int n) {
    constexpr int LANES = 32;
    __shared__ unsigned int columns[BINS * LANES];
    for (int i = threadIdx.x; i < BINS * LANES; i += blockDim.x) {
        columns[i] = 0;
    }
    __syncthreads();
    unsigned int *mine = columns + threadIdx.x % LANES;
    for_each_byte(in, n, [&](unsigned int value) { atomicAdd(&mine[value * LANES], 1); });
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        unsigned int sum = 0;
        // Neighbouring threads start in neighbouring columns: a row is 32 words, so their banks
        // differ.
        for (int lane = 0; lane < LANES; ++lane) {
            sum += columns[bin * LANES + (lane + threadIdx.x) % LANES];
        }
        atomicAdd(&bins[bin], sum);
    }
}
