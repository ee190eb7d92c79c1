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
    int lane = threadIdx.x % 32;
    unsigned mask = lanes == 32 ? 0xffffffff : (1u << lanes) - 1;
    for (int distance = 16; distance > 0; distance /= 2) {
        // All lanes shuffle; only lanes whose partner exists use what they get.
        int other = __shfl_down_sync(mask, value, distance);
        if (lane + distance < lanes) {
            value += other;
        }
    }
    return value;
    // <<<
}

extern "C" __global__ void block_sums(const int *in, int *out, int n) {
    // >>> your code: warps, their sums, the sum of the sums
    __shared__ int sums[32];
    int threads = blockDim.x;
    int thread = threadIdx.x;
    int i = blockIdx.x * threads + thread;
    int lane = thread % 32;
    int warp = thread / 32;
    int warps = (threads + 31) / 32;
    int lanes = min(32, threads - 32 * warp);

    // Threads without an element add 0: they are lanes all the same, and their warp's shuffles need
    // them.
    int sum = warp_sum(i < n ? in[i] : 0, lanes);
    if (lane == 0) {
        sums[warp] = sum;
    }
    __syncthreads();

    // There are at most 32 warps, so warp 0 is enough for the rest. It has 32 lanes unless it is
    // the only warp.
    if (warp == 0) {
        sum = warp_sum(lane < warps ? sums[lane] : 0, lanes);
        if (lane == 0) {
            out[blockIdx.x] = sum;
        }
    }
    // <<<
}
