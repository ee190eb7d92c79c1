//! style: a tree of 96 threads, no power of two: the upper half is rounded up in every round.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 96);

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    __shared__ float data[BLOCK_SIZE];
    int thread = threadIdx.x;
    int i = blockIdx.x * BLOCK_SIZE + thread;
    float mine = i < n ? in[i] : -INFINITY;
    data[thread] = mine;
    for (int left = BLOCK_SIZE; left > 1;) {
        int half = ceil_div(left, 2);
        __syncthreads();
        if (thread + half < left) {
            mine = fmaxf(mine, data[thread + half]);
            data[thread] = mine;
        }
        left = half;
    }
    if (thread == 0) {
        out[blockIdx.x] = mine;
    }
}
