//! fails: correct
//! why: elements are ints of 32 bits, and the kernel keeps only 24; small elements do not show
//! this.

// The sum of `value` over a warp's first `lanes` lanes, which are all its lanes. Only lane 0 gets
// the sum; the results of other lanes have no meaning.
__device__ int warp_sum(int value, int lanes) {
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
    int sum = warp_sum(i < n ? in[i] << 8 >> 8 : 0, lanes);
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
