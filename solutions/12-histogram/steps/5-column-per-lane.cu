// Step 5, expert: a column of bins for each lane, shared by the warps of the block. Lane l only ever touches bank l, so no two
// lanes of a warp meet, whatever the data are.

#include "course.cuh"

// 32 KiB of shared memory for each block: six of 256 threads fit a multiprocessor of 228 KiB, two of 1024 are as many threads
// as it holds.
LAUNCH_CONSTANT(BLOCK_SIZE, 1024);
LAUNCH_CONSTANT(MOST_BLOCKS, 264);

constexpr int BINS = 256;

// Calls count(value) for every byte of this thread: 16 at a time, and the last n % 16 one by one.
template <typename Count> __device__ __forceinline__ void for_each_byte(const unsigned char *in, int n, Count count) {
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
        // Neighbouring threads start in neighbouring columns: a row is 32 words, so their banks differ.
        for (int lane = 0; lane < LANES; ++lane) {
            sum += columns[bin * LANES + (lane + threadIdx.x) % LANES];
        }
        atomicAdd(&bins[bin], sum);
    }
}
