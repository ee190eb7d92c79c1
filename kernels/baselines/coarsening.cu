// Baseline of 11-coarsening: the tree of 03-reduction. Its own launches have a thread for each
// element, so that the loop runs once. They are repeated over their results until one result is
// left.
#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 1056);

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    __shared__ float data[BLOCK_SIZE];
    int thread = threadIdx.x;
    float mine = -INFINITY;
    for (int i = blockIdx.x * BLOCK_SIZE + thread; i < n; i += gridDim.x * BLOCK_SIZE) {
        mine = fmaxf(mine, in[i]);
    }
    data[thread] = mine;
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
