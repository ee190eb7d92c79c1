// Threads beyond the data leave, before or behind the barrier.
//@ run --entry shift --grid 1 --block 64 --arg in:i32:50=iota --arg out:i32:50 --arg i32:50
//! clean
//! defect 1: barrier_divergence warning at meet|gone
__device__ __forceinline__ bool beyond(int n)
{
    return threadIdx.x >= n;
}
extern "C" __global__ void shift(const int* in, int* out, int n)
{
    __shared__ int s[64];
#if DEFECT
    if (beyond(n)) return; // <- gone
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads(); // <- meet
#else
    s[threadIdx.x] = beyond(n) ? 0 : in[threadIdx.x];
    __syncthreads(); // <- meet
    if (beyond(n)) return;
#endif
    out[threadIdx.x] = s[(threadIdx.x + 1) % n];
}
