// family: `#line` forgery
// exercise: 03-reduction
// defence: directives
// says: gives lines other numbers
// wins: /etc/shadow
//
// Lets findings and messages name a file of the reader's, with lines of its choice.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
#line 7 "/etc/shadow"
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
    }
    if (thread == 0) {
        out[blockIdx.x] = data[0];
    }
}
