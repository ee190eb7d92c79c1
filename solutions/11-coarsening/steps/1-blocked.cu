//! fails: global_load_requests, global_load_sectors
//! why: for comparison: each thread reads a run of neighbours, so that lanes are far apart.
// Step 1: each thread reads many elements, which are neighbours. A warp's lanes are far apart:
// every request touches 32 sectors, and only the cache keeps this from costing eight times the
// traffic.

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024, and how many blocks at
// most, up to 65535.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 1056);

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    float mine = -INFINITY;
    int run = ceil_div(n, gridDim.x * BLOCK_SIZE);
    int first = (blockIdx.x * BLOCK_SIZE + threadIdx.x) * run;
    for (int i = first; i < min(n, first + run); ++i) {
        mine = fmaxf(mine, in[i]);
    }

    __shared__ float data[BLOCK_SIZE];
    data[threadIdx.x] = mine;
    __syncthreads();
    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            data[threadIdx.x] = fmaxf(data[threadIdx.x], data[threadIdx.x + stride]);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = data[0];
    }
}
