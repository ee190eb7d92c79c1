// Lanes leave a loop at different times; the ones that are still in it shuffle with all.
//@ run --entry collect --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: invalid_mask at shuffle
extern "C" __global__ void collect(const int* in, int* out)
{
    int t = threadIdx.x, v = in[t], sum = 0;
#if DEFECT
    for (int k = 0; k <= t / 8; ++k) {
        sum += __shfl_sync(0xffffffff, v, k); // <- shuffle
    }
#else
    for (int k = 0; k < 4; ++k) {
        int other = __shfl_sync(0xffffffff, v, k);
        if (k <= t / 8) sum += other;
    }
#endif
    out[t] = sum;
}
