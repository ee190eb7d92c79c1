// family: right by luck: lanes of a warp in step
// exercise: 03-reduction
// defence: findings
// says: race
//
// No barriers for the last warp, as if its lanes still ran in step.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    __shared__ volatile float data[BLOCK_SIZE];
    int thread = threadIdx.x;
    int i = blockIdx.x * BLOCK_SIZE + thread;
    data[thread] = i < n ? in[i] : -INFINITY;
    __syncthreads();
    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            data[thread] = fmaxf(data[thread], data[thread + stride]);
        }
        if (stride > 32) {
            __syncthreads();
        }
    }
    if (thread == 0) {
        out[blockIdx.x] = data[0];
    }
}
