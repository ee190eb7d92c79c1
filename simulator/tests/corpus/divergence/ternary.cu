// Both sides of ?: meet a barrier, but not the same one.
//@ run --entry choose --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: barrier_divergence at left|right|choice
__device__ int left(int* s)
{
    __syncthreads(); // <- left
    return s[threadIdx.x ^ 1];
}
__device__ int right(int* s)
{
    __syncthreads(); // <- right
    return s[threadIdx.x ^ 2];
}
extern "C" __global__ void choose(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
#if DEFECT
    out[t] = t % 2 ? left(s) : right(s); // <- choice
#else
    __syncthreads();
    out[t] = t % 2 ? s[t ^ 1] : s[t ^ 2];
#endif
}
