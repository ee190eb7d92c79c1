// All threads lower a minimum, then compare with it; a barrier stands between.
//@ run --entry least --grid 1 --block 96 --arg in:i32:96=iota --arg out:i32:96
//! clean
//! defect 1: race at lower and compare
extern "C" __global__ void least(const int* in, int* out)
{
    __shared__ int low;
    int t = threadIdx.x;
    if (t == 0) low = 1 << 30;
    __syncthreads();
    int v = in[95 - t];
    atomicMin(&low, v); // <- lower
#if !DEFECT
    __syncthreads();
#endif
    out[t] = v == low; // <- compare
}
