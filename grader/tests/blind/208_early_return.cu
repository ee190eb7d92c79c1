// Threads beyond the end return before a barrier that the others still use: works today, a warning all the same.
//@ run --entry early_return --grid 1 --block 64 --arg in:i32:50=small_ints.npy --arg out:i32:50 --arg i32:50
// save: 1
// reference: early_return
// expect: barrier_divergence warning @ return|barrier

extern "C" __global__ void early_return(const int* in, int* out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= n) return; // <- return
    s[t] = in[t];
    __syncthreads(); // <- barrier
    out[t] = s[n - 1 - t];
}
