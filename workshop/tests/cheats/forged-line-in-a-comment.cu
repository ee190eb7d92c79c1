// family: `#line` forgery: behind a comment that seems to go on
// exercise: 03-reduction
// defence: directives
// says: gives lines other numbers
// wins: /etc/shadow
//
// A blank after a backslash joins no comment to the next line.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
// to be continued \ 
# 7 "/etc/shadow"
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
