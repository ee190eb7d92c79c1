// The right side of && is evaluated only by the threads whose left side holds.
//@ run --entry vote --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: barrier_divergence at vote|after
extern "C" __global__ void vote(const int* in, int* out)
{
    int t = threadIdx.x, r = 0;
#if DEFECT
    if (t < 48 && __syncthreads_or(in[t] > 50)) r = 1; // <- vote
#else
    int any = __syncthreads_or(in[t] > 50);
    if (t < 48 && any) r = 1;
#endif
    __syncthreads(); // <- after
    out[t] = r;
}
