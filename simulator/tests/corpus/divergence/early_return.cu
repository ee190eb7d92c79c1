// Threads past the end leave before the barrier: forgiven by the hardware, a warning here.
//@ run --entry scale --grid 2 --block 64 --arg in:i32:100=iota --arg out:i32:100 --arg i32:100
//! clean
//! defect 1: barrier_divergence warning at barrier
extern "C" __global__ void scale(const int* in, int* out, int n)
{
    __shared__ int factor;
    int i = blockIdx.x * 64 + threadIdx.x;
#if DEFECT
    if (i >= n) return;
#endif
    if (threadIdx.x == 0) factor = in[1] + 2;
    __syncthreads(); // <- barrier
#if !DEFECT
    if (i >= n) return;
#endif
    out[i] = in[i] * factor;
}
