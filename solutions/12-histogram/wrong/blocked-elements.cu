//! fails: global_load_sectors
//! may fail: speedup
//! why: each thread takes a run of neighbouring bytes, so a warp asks for 32 sectors to get 32
//! bytes, again and again.

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

    int run = ceil_div(n, gridDim.x * blockDim.x);
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * run;
    for (int i = first; i < min(n, first + run); ++i) {
        atomicAdd(&mine[in[i]], 1);
    }

    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        atomicAdd(&bins[bin], mine[bin]);
    }
}
