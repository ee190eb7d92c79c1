// family: `#pragma message` forgery
// exercise: 03-reduction
// defence: clean-log
// says: ␛[31m
// wins: \u001b[31m
//
// Prints what looks like a message of the compiler about another file, and what a terminal obeys.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
#pragma message "all right\n/etc/shadow(3): warning #1-D: \x1b[31mnot from the compiler"
extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
}
