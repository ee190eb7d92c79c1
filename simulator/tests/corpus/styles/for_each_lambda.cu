// A loop over a range as a function template; what is done is a lambda.
//@ run --entry apply --grid 2 --block 48 --arg in:i32:200=iota --arg out:i32:200 --arg i32:200
//! clean
//! defect 1: out_of_bounds at body
//! defect 2: race at body
template <class F>
__device__ __forceinline__ void each(int n, F&& f)
{
#if DEFECT == 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += gridDim.x * blockDim.x) f(i);
#elif DEFECT == 2
    for (int i = threadIdx.x; i < n; i += blockDim.x) f(i);
#else
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
#endif
}
extern "C" __global__ void apply(const int* in, int* out, int n)
{
    int add = blockIdx.x;
    each(n, [=](int i) {
        out[i] = in[i] + add; // <- body
    });
}
