// family: endless loops in the compiler
// exercise: 03-reduction
// always: the compiler counts its steps, and its time is limited
// says: must have a constant value
//
// Computes at compile time, for ever.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
__device__ constexpr unsigned int spin() {
    unsigned int x = 1;
    for (;;) {
        x = x * 1664525u + 1013904223u;
    }
    return x;
}
extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    constexpr unsigned int spun = spin();
    if (spun == 1) {
        return;
    }
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
