//! fails: correct, clean/out_of_bounds
//! why: the kernel reads a byte as a signed char: for bytes from 128 up the index is negative.

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024, and how many blocks at
// most, up to 4096.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 1056);

constexpr int BINS = 256;

extern "C" __global__ void histogram(const unsigned char *in, unsigned int *bins, int n) {
    __shared__ unsigned int mine[BINS];
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        mine[bin] = 0;
    }
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        signed char value = in[i];
        atomicAdd(&mine[value], 1);
    }

    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        atomicAdd(&bins[bin], mine[bin]);
    }
}
