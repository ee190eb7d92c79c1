// family: reading stale memory or neighbouring buffers
// exercise: 03-reduction
// always: each buffer is memory of its own, with nothing beside it
// says: before the start
//
// Looks for results of earlier runs beside its buffers.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    // Whatever lies before the input may be an old result.
    if (threadIdx.x == 0) {
        out[blockIdx.x] = in[-64];
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
