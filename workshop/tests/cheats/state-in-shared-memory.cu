// family: state from an earlier launch in uninitialized shared memory
// exercise: 03-reduction
// defence: findings
// says: uninitialized_read
//
// Shared memory is not cleared between launches: a block can leave word for the next one.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    // What the block before on this multiprocessor left.
    __shared__ float left_over;
    if (left_over == 12345.0f) {
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
