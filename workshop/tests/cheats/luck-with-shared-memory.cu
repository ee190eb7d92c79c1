// family: right by luck with uninitialized shared memory
// exercise: 03-reduction
// defence: findings
// says: uninitialized_read
//
// Works wherever the word happens to be zero.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    // Nobody sets it; on a machine that clears shared memory it is zero.
    __shared__ int already_done;
    if (already_done != 0 && threadIdx.x == 0) {
        out[blockIdx.x] = 1.0f;
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
