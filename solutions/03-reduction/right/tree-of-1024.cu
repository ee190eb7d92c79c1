//! style: the tree of the hints with 1024 threads, the most that a block can have.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 1024);

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    __shared__ float data[BLOCK_SIZE];
    int thread = threadIdx.x;
    int i = blockIdx.x * BLOCK_SIZE + thread;
    data[thread] = i < n ? in[i] : -INFINITY;
    __syncthreads();
    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            data[thread] = fmaxf(data[thread], data[thread + stride]);
        }
        __syncthreads();
    }
    if (thread == 0) {
        out[blockIdx.x] = data[0];
    }
}
