//! style: lanes that have the same byte agree by __match_any_sync, and one of them adds for all.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 128);
LAUNCH_CONSTANT(MOST_BLOCKS, 32);

constexpr int BINS = 256;

extern "C" __global__ void histogram(const unsigned char *in, unsigned int *bins, int n) {
    __shared__ unsigned int mine[BINS];
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        mine[bin] = 0;
    }
    __syncthreads();

    int lane = threadIdx.x % 32;
    int step = gridDim.x * blockDim.x;
    for (int first = blockIdx.x * blockDim.x + threadIdx.x - lane; first < n; first += step) {
        int i = first + lane;
        unsigned there = __ballot_sync(0xffffffff, i < n);
        if (i < n) {
            int value = in[i];
            unsigned same = __match_any_sync(there, value);
            if (__ffs(same) - 1 == lane) {
                atomicAdd(&mine[value], __popc(same));
            }
        }
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        atomicAdd(&bins[bin], mine[bin]);
    }
}
