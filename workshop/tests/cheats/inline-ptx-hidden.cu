// family: inline PTX tricks: a name in two halves
// exercise: 03-reduction
// defence: audit
// says: PTX of its own
//
// Hides the word that a reader would look for.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
#define GLUE(a, b) a##b

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    GLUE(as, m)("membar.gl;");
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
