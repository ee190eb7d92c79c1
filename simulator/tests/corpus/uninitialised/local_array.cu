// A local histogram of eight bins of which one is forgotten when it is cleared.
//@ run --entry mode --grid 1 --block 32 --arg in:i32:64=iota --arg out:i32:32
//! clean
//! defect 1: uninitialized_read at count|pick|store
extern "C" __global__ void mode(const int* in, int* out)
{
    int bins[8];
    int t = threadIdx.x;
#if DEFECT
    for (int k = 0; k < 7; ++k) bins[k] = 0;
#else
    for (int k = 0; k < 8; ++k) bins[k] = 0;
#endif
    for (int k = 0; k < 32; ++k) {
        ++bins[(in[t + k] * 3) % 8]; // <- count
    }
    int best = 0;
    for (int k = 1; k < 8; ++k) {
        if (bins[k] > bins[best]) { // <- pick
            best = k;
        }
    }
    out[t] = best; // <- store
}
