//! fails: shared_load_requests
//! why: every warp adds up all the sums, but only one warp writes the result: the others' reads are
//! wasted.

// The sum of `value` over a warp's first `lanes` lanes, which are all its lanes. Only lane 0 gets
// the sum; the results of other lanes have no meaning.
__device__ int warp_sum(int value, int lanes) {
    int lane = threadIdx.x % 32;
    unsigned mask = lanes == 32 ? 0xffffffff : (1u << lanes) - 1;
    for (int distance = 16; distance > 0; distance /= 2) {
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

    int sum = warp_sum(i < n ? in[i] : 0, lanes);
    if (lane == 0) {
        sums[warp] = sum;
    }
    __syncthreads();

    int total = 0;
    for (int other = 0; other < warps; ++other) {
        total += sums[other];
    }
    if (thread == 0) {
        out[blockIdx.x] = total;
    }
}
