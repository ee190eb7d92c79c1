// A sum of complex numbers by a tree with an operator of their own.
//@ run --entry total --grid 2 --block 64 --arg in:f32:256=iota --arg out:f32:4
//! clean
//! defect 1: race at step
//! defect 2: race at step
struct Complex {
    float re, im;
    __device__ Complex operator+(Complex o) const { return {re + o.re, im + o.im}; }
};
extern "C" __global__ void total(const Complex* in, Complex* out)
{
    __shared__ Complex s[64];
    auto t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t]; // <- step
#if DEFECT != 2
    __syncthreads();
#endif
    for (unsigned d = 32; d; d >>= 1) {
        if (t < d) s[t] = s[t] + s[t + d]; // <- step
#if DEFECT == 1
        if (d > 16) __syncthreads();
#else
        __syncthreads();
#endif
    }
    if (!t) out[blockIdx.x] = s[0];
}
