// family: late writes
// exercise: 03-reduction
// always: a kernel cannot start another one, and the device is waited for before anything is read
// says: device-side kernel launch could not be processed
//
// Has a second kernel write the result, after the time is taken.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
__global__ void later(float *out, float value) { *out = value; }
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
    if (thread == 0) {
        later<<<1, 1>>>(&out[blockIdx.x], data[0]);
    }
}
