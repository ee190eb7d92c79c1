// 12-histogram: how often each byte occurs.
//
// Task
//   Add to bins[v] how many of the n bytes of `in` are v, for every v from 0 to 255. The host has
//   set `bins` to zero.
//
// Given
//   One launch. The host launches a thread for every 16 bytes, rounded up to whole blocks, but at
//   most MOST_BLOCKS blocks: a thread counts several bytes. Most launches have BLOCK_SIZE threads
//   in a block, some only 64, and one has no more than two blocks: ask blockDim.x and gridDim.x.
//   `in` starts at a multiple of 256 bytes; n is anything from 0 to 2^30 (one block at least).
//
// Write
//   Between the marks: each block counts its share of the bytes into bins of its own in shared
//   memory, by atomics, and in the end adds each of them once to the bins in global memory.
//
// Rules
//   Every sector of `in` is read once: neighbouring threads read neighbouring bytes.
//   Global atomics only for the sums of a block: 256 of them, that is 8 requests of a warp, for
//   each block.
//
// Check
//   grader check 12-histogram
//   grader hint 12-histogram           (if you are stuck)

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024, and how many blocks at
// most, from 32 to 4096.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 1056);

extern "C" __global__ void histogram(const unsigned char *in, unsigned int *bins, int n) {
    // >>> your code: count this block's share in shared memory, then add the counts to `bins`
    // <<<
}
