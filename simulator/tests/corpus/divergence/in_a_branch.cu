// Only the first forty threads work, and only they meet the barrier.
//@ run --entry pairs --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: barrier_divergence at barrier; also=race
extern "C" __global__ void pairs(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    int v = 0;
    if (t < 40) {
        v = s[39 - t];
#if DEFECT
        __syncthreads(); // <- barrier
#endif
    }
#if !DEFECT
    __syncthreads();
#endif
    s[t] = v;
    __syncthreads();
    out[t] = s[63 - t];
}
//! label 1: named no consequence; accesses that only the broken barrier keeps apart race
