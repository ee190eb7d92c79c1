// Every thread iterates until its own value is small enough, or until all of them are.
//@ run --entry settle --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: barrier_divergence at first|second|after; also=race
extern "C" __global__ void settle(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x, v = in[t];
#if DEFECT
    while (v > 3) {
#else
    while (__syncthreads_or(v > 3)) {
#endif
        s[t] = v;
        __syncthreads(); // <- first
        v = (v + s[t ^ 1]) / 4;
        __syncthreads(); // <- second
    }
    __syncthreads(); // <- after
    s[t] = v;
    __syncthreads();
    out[t] = s[63 - t];
}
//! label 1: named no consequence; accesses that only the broken barrier keeps apart race
