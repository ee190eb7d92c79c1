// A maximum by shuffles in a warp of which only some lanes take part, all of them named by a vote.
//@ run --entry top --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:1 --arg i32:20
//! clean
//! defect 1: invalid_mask|uninitialized_read at shuffle|store
extern "C" __global__ void top(const int* in, int* out, int n)
{
    int t = threadIdx.x;
    unsigned mask = __ballot_sync(0xffffffff, t < n);
    if (t < n) {
        int v = in[t];
        for (int d = 16; d > 0; d /= 2) {
#if DEFECT
            v = max(v, __shfl_down_sync(mask, v, d)); // <- shuffle
#else
            int other = __shfl_sync(mask, v, t + d < n ? t + d : t);
            v = max(v, other);
#endif
        }
        if (t == 0) {
            *out = v; // <- store
        }
    }
}
