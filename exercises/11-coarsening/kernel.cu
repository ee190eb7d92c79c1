// 11-coarsening: the largest of n floats, as fast as memory delivers them.
//
// Task
//   Block b finds the maximum of its share of the n floats and writes it to out[b]; the blocks'
//   shares together are all elements. The host launches the kernel twice: over the input, then with
//   one block over the results of the first launch.
//
// Given
//   Blocks have BLOCK_SIZE threads. The first launch has a thread for every 16 floats, rounded up
//   to whole blocks, but at most MOST_BLOCKS blocks, and in some cases two. The second launch has
//   one block. `in` is aligned to 4 bytes, no more: it may start anywhere in a sector. `in` holds
//   exactly n floats, where n is from 0 to 2^30. The maximum of no floats is -INFINITY.
//
// Write
//   Between the marks: each thread keeps the maximum of many elements in a register. Only then the
//   block combines its threads' values, by a tree or by shuffles. The first pair of marks is for
//   code that you need outside the kernel.
//
// Rules
//   NaN and -INFINITY count as in 03-reduction: fmaxf(x, NaN) is x, and if all elements are
//   -INFINITY, so is the maximum. Load all elements but the few at both ends 16 bytes at a time
//   (float4, from addresses that are multiples of 16): a warp's request fetches 128 neighbouring
//   floats. Every sector is read once.
//
// Check
//   grader check 11-coarsening
//   grader hint 11-coarsening          (if you are stuck)

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024, and how many blocks at
// most, from 32 to 65535.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 1056);

// >>> your code: what reduce_max needs
// <<<

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    // >>> your code: the maximum of this block's share goes to out[blockIdx.x]
    // <<<
}
