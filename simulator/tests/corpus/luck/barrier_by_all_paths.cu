// Every path has exactly one barrier before the exchange, but the threads take different ones.
//@ run --entry paths --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: barrier_divergence at low|high
//! defect 2: barrier_divergence at inside|behind
extern "C" __global__ void paths(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
#if DEFECT == 1
    if (in[t] < 20) {
        __syncthreads(); // <- low
    } else {
        __syncthreads(); // <- high
    }
#elif DEFECT == 2
    for (int k = 0; k < 2; ++k) {
        if (t < 32) __syncthreads(); // <- inside
    }
    if (t >= 32) __syncthreads(); // <- behind
    if (t >= 32) __syncthreads(); // <- behind
#else
    for (int k = 0; k < (in[63] > 3) + 1; ++k) __syncthreads();
#endif
    out[t] = s[63 - t];
}
