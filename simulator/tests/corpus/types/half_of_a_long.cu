// A 64-bit value is written as one and read in halves by another warp.
//@ run --entry halves --grid 1 --block 64 --arg out:u32:64
//! clean
//! defect 1: race at whole and half
extern "C" __global__ void halves(unsigned* out)
{
    __shared__ unsigned long long wide[32];
    int t = threadIdx.x;
    if (t < 32) wide[t] = 0x100000000ull * t + 7; // <- whole
#if !DEFECT
    __syncthreads();
#endif
    out[t] = ((unsigned*)wide)[t]; // <- half
}
