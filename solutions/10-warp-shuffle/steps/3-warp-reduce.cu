// Step 3, expert: since compute capability 8.0 a warp adds up integers with one instruction.
// (Floats have no such instruction.)

// The sum of `value` over a warp's first `lanes` lanes, which are all its lanes. Only lane 0 gets
// the sum; the results of other lanes have no meaning.
__device__ int warp_sum(int value, int lanes) {
    unsigned mask = lanes == 32 ? 0xffffffff : (1u << lanes) - 1;
    return __reduce_add_sync(mask, value);
}

extern "C" __global__ void block_sums(const int *in, int *out, int n) {
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
}
