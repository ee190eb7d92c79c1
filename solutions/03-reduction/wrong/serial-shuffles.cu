//! fails: exchange_requests
//! may fail: speedup
//! why: right, but every lane asks all other lanes, one after the other: that takes 31 exchanges,
//! where five would do.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);

__device__ float largest_of_warp(float mine) {
    float largest = mine;
    for (int lane = 0; lane < 32; ++lane) {
        largest = fmaxf(largest, __shfl_sync(0xffffffff, mine, lane));
    }
    return largest;
}

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    constexpr int WARPS = BLOCK_SIZE / 32;
    __shared__ float largest[WARPS];
    int thread = threadIdx.x;
    int i = blockIdx.x * BLOCK_SIZE + thread;
    float mine = largest_of_warp(i < n ? in[i] : -INFINITY);
    if (thread % 32 == 0) {
        largest[thread / 32] = mine;
    }
    __syncthreads();
    if (thread < 32) {
        mine = largest_of_warp(thread < WARPS ? largest[thread] : -INFINITY);
        if (thread == 0) {
            out[blockIdx.x] = mine;
        }
    }
}
