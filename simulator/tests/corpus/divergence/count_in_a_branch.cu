// The block counts how many threads hold a large value; every thread must take part in the counting.
//@ run --entry count --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: barrier_divergence at meet
extern "C" __global__ void count(const int* in, int* out)
{
    int t = threadIdx.x, v = in[t], n = 0;
#if DEFECT
    if (v > 20) n = __syncthreads_count(v > 40); // <- meet
#else
    n = __syncthreads_count(v > 40);
#endif
    out[t] = n;
}
