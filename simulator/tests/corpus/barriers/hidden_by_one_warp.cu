// One warp: it looks right without a barrier, and is no better than with two warps.
//@ run --entry reverse --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: race at store and load
extern "C" __global__ void reverse(const int* in, int* out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t]; // <- store
#if !DEFECT
    __syncthreads();
#endif
    out[t] = s[31 - t]; // <- load
}
