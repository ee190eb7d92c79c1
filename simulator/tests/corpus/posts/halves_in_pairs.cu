// y = a x + y for halves, two at a time; an odd one at the end is the last thread's.
//@ run --entry axpy --grid 1 --block 32 --arg in:f16:63=zeros --arg inout:f16:63=zeros --arg i32:63
//! clean
//! defect 1: out_of_bounds at pair
//! defect 2: misaligned at pair
//! defect 3: race at pair and odd
//! defect 4: out_of_bounds at odd
#include <cuda_fp16.h>
extern "C" __global__ void axpy(const __half* x, __half* y, int n)
{
    int t = threadIdx.x;
#if DEFECT == 1
    int pairs = (n + 1) / 2;
#else
    int pairs = n / 2;
#endif
#if DEFECT == 2
    const __half2* from = reinterpret_cast<const __half2*>(x + 1);
    __half2* to = reinterpret_cast<__half2*>(y + 1);
#else
    const __half2* from = reinterpret_cast<const __half2*>(x);
    __half2* to = reinterpret_cast<__half2*>(y);
#endif
    for (int i = t; i < pairs; i += 32) {
        __half2 a = from[i], b = to[i]; // <- pair
        to[i] = __hfma2(a, __float2half2_rn(2.0f), b); // <- pair
    }
    if (t == 31) {
#if DEFECT == 3
        y[n - 3] = __hadd(x[n - 3], y[n - 3]); // <- odd
#elif DEFECT == 4
        y[n] = __hadd(x[n - 1], y[n - 1]); // <- odd
#else
        if (n % 2) y[n - 1] = __hfma(x[n - 1], __float2half(2.0f), y[n - 1]); // <- odd
#endif
    }
}
