// The baseline of `range-stream`: a block for each sum, in the order in which the numbers lie.

constexpr int PER_SUM = 2048;

extern "C" __global__ void sums(const int *in, int *out, int n) {
    __shared__ int totals[8];
    int sum = blockIdx.x;
    int total = 0;
    for (int i = threadIdx.x; i < PER_SUM; i += 256) {
        total += in[sum * PER_SUM + i];
    }
    total = __reduce_add_sync(0xffffffff, total);
    if (threadIdx.x % 32 == 0) {
        totals[threadIdx.x / 32] = total;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; ++warp) {
            total += totals[warp];
        }
        out[sum] = total;
    }
}
