//! fails: global_load_requests, global_load_sectors
//! may fail: speedup
//! why: each thread takes a run of neighbours, so a warp asks for 32 sectors to get 32 floats, and
//! for the same sectors again later.

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
