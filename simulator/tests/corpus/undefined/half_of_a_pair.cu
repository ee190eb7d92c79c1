// A pair of halves of which one was set.
//@ run --entry pairs --grid 1 --block 32 --arg in:i32:32=iota --arg out:f32:32
//! clean
//! defect 1: uninitialized_read at load|store
#include <cuda_fp16.h>
extern "C" __global__ void pairs(const int* in, float* out)
{
    __shared__ __half2 s[32];
    int t = threadIdx.x;
    ((__half*)s)[2 * t] = __int2half_rn(in[t]);
    __syncthreads();
    __half2 v = s[31 - t]; // <- load
#if DEFECT
    out[t] = __high2float(v); // <- store
#else
    out[t] = __low2float(v);
#endif
}
