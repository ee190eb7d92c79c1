// A lambda with captured shared memory, given to a template that calls it with a barrier between.
//@ run --entry apply --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at add
//! defect 2: race at add
//! defect 3: out_of_bounds at add
template <class F> __device__ void by_halves(int n, F f)
{
    for (int d = n / 2; d >= 1; d /= 2) {
        if (threadIdx.x < d) f(d);
#if DEFECT != 1
        __syncthreads();
#endif
    }
}
extern "C" __global__ void apply(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
#if DEFECT == 2
    by_halves(64, [&](int d) { s[t] += s[t + d - 1]; }); // <- add
#elif DEFECT == 3
    by_halves(64, [&](int d) { s[t] += s[t + 2 * d]; }); // <- add
#else
    by_halves(64, [&](int d) { s[t] += s[t + d]; }); // <- add
#endif
    out[t] = s[0];
}
