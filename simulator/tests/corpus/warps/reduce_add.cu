// A hardware reduction over the lanes that are there, or over lanes that took another way.
//@ run --entry sums --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: invalid_mask at sum
extern "C" __global__ void sums(const int* in, int* out)
{
    int t = threadIdx.x, r = 0;
#if DEFECT
    if (in[t] % 32 < 20) {
        r = __reduce_add_sync(0xffffffff, in[t]); // <- sum
    }
#else
    unsigned mask = __ballot_sync(0xffffffff, in[t] % 32 < 20);
    if (in[t] % 32 < 20) {
        r = __reduce_add_sync(mask, in[t]);
    }
#endif
    out[t] = r;
}
