// family: pass-through output
// exercise: 03-reduction
// defence: every-case 0
// says: expected
//
// Hands on its input; right for one element.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    if (threadIdx.x == 0) {
        out[blockIdx.x] = in[blockIdx.x * BLOCK_SIZE];
    }
}
