// family: huge local arrays
// exercise: 03-reduction
// always: a thread has as much local memory as a GPU gives it
// says: local variables take more than
//
// Half a megabyte for each thread, all of it written.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    float huge[1 << 17];
    for (int i = 0; i < (1 << 17); ++i) {
        huge[(i * 7919) & ((1 << 17) - 1)] = n + i;
    }
    if (huge[n & 255] == -3.0f) return;
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
