// redux: minimum, or, and a sum over those lanes that have a value, by a mask that all of them know.
//@ run --entry least --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:4
//! clean
//! defect 1: invalid_mask at least
//! defect 2: race at out
extern "C" __global__ void least(const int* in, int* out)
{
    int t = threadIdx.x, v = in[t] * 31 % 64;
    unsigned odd = __ballot_sync(~0u, v & 1);
    if (v & 1) {
#if DEFECT == 1
        int m = __reduce_min_sync(~0u, v); // <- least
#else
        int m = __reduce_min_sync(odd, v);
#endif
#if DEFECT == 2
        if (t % 32 < 8) out[t / 32] = m + t; // <- out
#else
        if (t % 32 == __ffs(odd) - 1) out[t / 32] = m;
#endif
    }
    unsigned all = __reduce_or_sync(~0u, v);
    if (t % 32 == 0) out[2 + t / 32] = all;
}
