// A relaxed early-out: a plain look before the atomic. The value can only be too old, and it is a race by the model; a volatile look isn't.
//@ run --entry least --grid 2 --block 64 --arg in:i32:128=iota --arg inout:i32:8=const:1000
//! clean
//! defect 1: race at look
//! defect 2: race at set
extern "C" __global__ void least(const int* in, int* best)
{
    int v = in[blockIdx.x * 64 + threadIdx.x] * 91 % 128, bin = v % 8;
#if DEFECT == 1
    if (best[bin] <= v) return; // <- look
    atomicMin(&best[bin], v);
#elif DEFECT == 2
    atomicMin(&best[bin], v);
    if (v < 8) best[bin] = v; // <- set
#else
    if (*(volatile int*)&best[bin] <= v) return;
    atomicMin(&best[bin], v);
#endif
}
