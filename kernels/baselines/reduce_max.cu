// Baseline of 03-reduction: a first attempt at a tree, which combines neighbours in pairs. It is
// right and clean, but every round leaves half of the lanes of every warp idle.
#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    __shared__ float data[BLOCK_SIZE];
    int thread = threadIdx.x;
    int i = blockIdx.x * BLOCK_SIZE + thread;

    data[thread] = i < n ? in[i] : -INFINITY;
    __syncthreads();

    for (int stride = 1; stride < BLOCK_SIZE; stride *= 2) {
        if (thread % (2 * stride) == 0) {
            data[thread] = fmaxf(data[thread], data[thread + stride]);
        }
        __syncthreads();
    }

    if (thread == 0) {
        out[blockIdx.x] = data[0];
    }
}
