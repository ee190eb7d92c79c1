// 10-warp-shuffle: a block's sum, handed from lane to lane.
//
// Task
//   Each block adds up its blockDim.x neighbouring elements of `in` and writes the sum to
//   out[blockIdx.x].
//
// Given
//   The host launches ceil(n / blockDim.x) blocks, each time with another number of threads:
//   anything from 1 to 1024, so the last warp of a block may have fewer than 32 lanes. n need not
//   be a multiple of blockDim.x; it may be 0, and one block writes the sum of nothing. No sum
//   overflows.
//
// Write
//   warp_sum: the sum of one value from each lane of a warp, known to its lane 0, by shuffles alone
//   (__shfl_down_sync will do). block_sums: a sum for each warp, one shared word for each sum, and
//   warp 0 adds them up, again with warp_sum.
//
// Rules
//   One barrier for each block and one read of shared memory by one warp; an atomic is a read, too.
//   Every lane that a shuffle's mask names executes that shuffle.
//
// Check
//   grader check 10-warp-shuffle
//   grader hint 10-warp-shuffle        (if you are stuck)

// The sum of `value` over a warp's first `lanes` lanes, which are all that it has. Lane 0 gets the
// sum, the others something.
__device__ int warp_sum(int value, int lanes) {
    // >>> your code: log2(32) rounds
    return value;
    // <<<
}

extern "C" __global__ void block_sums(const int *in, int *out, int n) {
    // >>> your code: warps, their sums, the sum of those
    // <<<
}
