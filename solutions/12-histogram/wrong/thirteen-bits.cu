//! fails: correct
//! why: keeps 13 bits of each count of a block.

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024, and how many blocks at
// most, from 32 to 4096.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 1056);

extern "C" __global__ void histogram(const unsigned char *in, unsigned int *bins, int n) {
    // >>> your code: count this block's share in shared memory, then add the counts to `bins`
    constexpr int BINS = 256;
    __shared__ unsigned int mine[BINS];
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        mine[bin] = 0;
    }
    // No thread counts before all bins are zero ...
    __syncthreads();

    // Neighbouring threads read neighbouring bytes, and the whole grid walks over the input
    // together.
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&mine[in[i]], 1);
    }

    // ... and none merges before all threads have counted.
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        atomicAdd(&bins[bin], mine[bin] & 8191);
    }
    // <<<
}
