// A barrier for two warps; the third one reads without it.
//@ run --entry partly --grid 1 --block 96 --arg in:i32:96=iota --arg out:i32:96
//! clean
//! defect 1: race at store and load
extern "C" __global__ void partly(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = in[t]; // <- store
#if DEFECT
        asm volatile("bar.sync 1, 64;" ::: "memory");
#else
        asm volatile("bar.sync 1, 96;" ::: "memory");
#endif
    }
#if !DEFECT
    else {
        asm volatile("bar.sync 1, 96;" ::: "memory");
    }
#endif
    out[t] = s[(t + 40) % 64]; // <- load
}
