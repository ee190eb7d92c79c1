// family: keeping state on the device's heap
// exercise: 03-reduction
// defence: audit
// says: it uses the device's heap
//
// What malloc gives outlives the launch, and where it lies tells how many launches there were.

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
    if (thread == 0 && malloc(64) == in) {
        out[blockIdx.x] = 0.0f;
    }
    if (thread == 0) {
        out[blockIdx.x] = data[0];
    }
}
