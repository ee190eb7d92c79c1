// A thread without work skips the rest of the round, and the barrier in it.
//@ run --entry rounds --grid 1 --block 64 --arg in:i32:150=iota --arg inout:i32:64=zeros --arg i32:150
//! clean
//! defect 1: barrier_divergence at inside|after
extern "C" __global__ void rounds(const int* in, int* out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    for (int k = 0; k < 3; ++k) {
        int i = k * 64 + t;
#if DEFECT
        if (i >= n) continue;
        s[t] = in[i];
#else
        s[t] = i < n ? in[i] : 0;
#endif
        __syncthreads(); // <- inside
        out[t] += s[t ^ 1];
        __syncthreads(); // <- after
    }
    __syncthreads();
    out[t] *= 2;
}
