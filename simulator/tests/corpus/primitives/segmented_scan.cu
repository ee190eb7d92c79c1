// A segmented inclusive scan by doubling distances: flags travel with the sums.
//@ run --entry scan --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at sum|flag|look
//! defect 2: race at sum|flag|look
//! defect 3: out_of_bounds at look
extern "C" __global__ void scan(const int* in, int* out)
{
    __shared__ int sums[64];
    __shared__ bool heads[64];
    int t = threadIdx.x;
    int sum = in[t];
    bool head = sum % 11 == 0;
    sums[t] = sum; // <- sum
    heads[t] = head; // <- flag
    for (int d = 1; d < 64; d <<= 1) {
#if DEFECT != 1
        __syncthreads();
#endif
        int left = 0;
        bool cut = true;
#if DEFECT == 3
        left = sums[t - d]; // <- look
        cut = t < d || heads[t - d];
#else
        if (t >= d) {
            left = sums[t - d]; // <- look
            cut = heads[t - d]; // <- look
        }
#endif
#if DEFECT != 2
        __syncthreads();
#endif
        if (!head && t >= d) sums[t] = sum += left; // <- sum
        heads[t] = head |= cut; // <- flag
    }
    out[t] = sums[t];
}
