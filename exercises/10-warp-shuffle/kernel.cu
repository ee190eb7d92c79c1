// 10-warp-shuffle: a block's sum, handed from lane to lane.
//
// Task
//   Each block adds up its blockDim.x neighbouring elements of `in` and writes the sum to
//   out[blockIdx.x].
//
// Given
//   The host launches ceil(n / blockDim.x) blocks. The launches differ in blockDim.x, which is
//   anything from 1 to 1024, so the last warp of a block may have fewer than 32 lanes. n need not
//   be a multiple of blockDim.x. n may be 0; then one block writes the sum of no elements, 0. No
//   sum overflows.
//
// Write
//   warp_sum adds up one value from each lane of a warp by shuffles alone (__shfl_down_sync will
//   do); its lane 0 gets the sum. In block_sums each warp finds its sum and stores it in a shared
//   word of its own; then warp 0 adds up these words, again with warp_sum.
//
// Rules
//   A block takes one barrier and one read of shared memory by one warp; an atomic is a read, too.
//   Every lane that a shuffle's mask names executes that shuffle.
//
// Check
//   grader check 10-warp-shuffle
//   grader hint 10-warp-shuffle        (if you are stuck)

// The sum of `value` over a warp's first `lanes` lanes, which are all its lanes. Only lane 0 gets
// the sum; the results of other lanes have no meaning.
__device__ int warp_sum(int value, int lanes) {
    // >>> your code: log2(32) rounds
    return value;
    // <<<
}

extern "C" __global__ void block_sums(const int *in, int *out, int n) {
    // >>> your code: warps, their sums, the sum of the sums
    // <<<
}
