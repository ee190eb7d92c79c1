// Warps without work leave first. What they wrote before is still there for the others; that they left is a warning.
//@ run --entry leave --grid 1 --block 96 --arg in:i32:96=iota --arg out:i32:32
//! clean
//! defect 1: barrier_divergence warning at barrier
extern "C" __global__ void leave(const int* in, int* out)
{
    __shared__ int s[96];
    int t = threadIdx.x;
    s[t] = in[t];
#if DEFECT
    if (t >= 32) return;
#endif
    __syncthreads(); // <- barrier
    if (t < 32) out[t] = s[t] + s[t + 32] + s[t + 64];
}
