// family: constant output
// exercise: 03-reduction
// defence: every-case 3
// says: expected
//
// One answer for everything; right for the case with nothing but -infinity.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    if (threadIdx.x == 0) {
        out[blockIdx.x] = -INFINITY;
    }
}
