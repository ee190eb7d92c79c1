// family: printf floods
// exercise: 03-reduction
// always: what a kernel prints beyond the buffer is lost, and reports stay small
// says: never written
//
// Fills the disk or the report.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    for (int line = 0; line < 5; ++line) {
        printf("block %d thread %d line %d: all work and no play makes a dull judge\n", blockIdx.x, threadIdx.x, line);
    }
    return;
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
