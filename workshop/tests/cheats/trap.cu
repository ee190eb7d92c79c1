// family: traps
// exercise: 03-reduction
// always: a fault is no result
// says: trap
//
// Writes its result and then faults, so that nobody looks at it.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);

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
    __syncthreads();
    if (thread == 0) {
        out[blockIdx.x] = data[0];
        __trap();
    }
    if (thread == 0) {
        out[blockIdx.x] = data[0];
    }
}
