//! fails: global_load_requests, global_load_sectors
//! why: on the way: neighbouring lanes read neighbouring elements, but only one word at a time.
// Step 2: each thread reads many elements, and neighbouring threads read neighbours. The loads are
// coalesced, with 4 bytes each.

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024, and how many blocks at
// most, up to 65535.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 1056);

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    float mine = -INFINITY;
    for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += gridDim.x * BLOCK_SIZE) {
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
