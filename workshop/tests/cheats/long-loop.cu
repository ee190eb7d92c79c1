// family: endless loops in the kernel
// exercise: 03-reduction
// defence: budget
// says: instructions
//
// Takes the judge's time. It ends at last, so that it can win; one that does not end is stopped in the same way.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    unsigned int x = n;
    if (n == 1 && threadIdx.x < 32) {
#pragma unroll 1
        for (int i = 0; i < 3000000; ++i) {
            x = x * 1664525u + (x >> 7);
        }
    }
    if (x == 3 && n == 1) {
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
