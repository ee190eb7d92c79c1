// Two threads own the two halves of a word; a half2 store covers both.
//@ run --entry halves --grid 1 --block 64 --arg in:i32:64=iota --arg out:f16:64
//! clean
//! defect 1: race at single and double
#include <cuda_fp16.h>
extern "C" __global__ void halves(const int* in, __half* out)
{
    __shared__ __align__(4) __half s[64];
    int t = threadIdx.x;
    if (t % 2) {
        s[t] = __int2half_rn(in[t]); // <- single
    } else {
#if DEFECT
        *(__half2*)&s[t] = __half2(__int2half_rn(in[t]), __int2half_rn(7)); // <- double
#else
        s[t] = __int2half_rn(in[t]);
#endif
    }
    __syncthreads();
    out[t] = s[t];
}
