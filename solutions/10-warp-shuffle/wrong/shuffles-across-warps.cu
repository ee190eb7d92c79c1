//! fails: correct
//! why: a shuffle stops at the edge of its warp, unlike sdata[thread + distance], so only warp 0 is
//! added up.

// The sum of `value` over a warp's first `lanes` lanes, which are all its lanes. Only lane 0 gets
// the sum; the results of other lanes have no meaning.
__device__ int warp_sum(int value, int lanes) {
    int lane = threadIdx.x % 32;
    unsigned mask = lanes == 32 ? 0xffffffff : (1u << lanes) - 1;
    for (int distance = 512; distance > 0; distance /= 2) {
        int other = __shfl_down_sync(mask, value, distance);
        if (lane + distance < lanes) {
            value += other;
        }
    }
    return value;
}

extern "C" __global__ void block_sums(const int *in, int *out, int n) {
    int threads = blockDim.x;
    int thread = threadIdx.x;
    int i = blockIdx.x * threads + thread;
    int lanes = min(32, threads - thread / 32 * 32);

    int sum = warp_sum(i < n ? in[i] : 0, lanes);
    if (thread == 0) {
        out[blockIdx.x] = sum;
    }
}
