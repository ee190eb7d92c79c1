// 00-scaffold: HOLE: the task in a few words. (As it stands: turn every block's elements round.)
//
// Task
//   HOLE: what must be where. out holds, for each block of BLOCK_SIZE elements of `in`, the same
//   elements in reverse order.
//
// Given
//   HOLE: what the host launches, how large each buffer is. The host launches ceil(n / BLOCK_SIZE)
//   blocks of BLOCK_SIZE threads. The last block may have more threads than elements; it turns
//   round what it has.
//
// Write
//   HOLE: the way. Between the marks, through shared memory: every thread loads one element and
//   stores another one.
//
// Check
//   grader check 00-scaffold
//   grader hint 00-scaffold        (if you are stuck)

#include "course.cuh"

// Threads in a block, yours to choose: a multiple of 32 from 64 to 1024.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);

extern "C" __global__ void scaffold(const float *in, float *out, int n) {
    // >>> your code: this block's elements of `in`, in reverse order, go to its places in `out`
    // <<<
}
