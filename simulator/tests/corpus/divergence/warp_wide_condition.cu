// Whole warps skip a part that has barriers in it, because their vote says so.
//@ run --entry part --grid 1 --block 96 --arg in:i32:96=iota --arg out:i32:96
//! clean
//! defect 1: barrier_divergence at first|second; also=race
extern "C" __global__ void part(const int* in, int* out)
{
    __shared__ int s[96];
    int t = threadIdx.x, v = in[t];
    s[t] = v;
#if DEFECT
    bool any = __any_sync(0xffffffff, v >= 64);
#else
    bool any = __syncthreads_or(v >= 64);
#endif
    if (any) {
        __syncthreads(); // <- first
        v = s[95 - t];
        __syncthreads(); // <- second
    }
    out[t] = v;
}
