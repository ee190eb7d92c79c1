// Beyond the input a copy fills with zeros instead of reading.
//@ run --entry fill --grid 1 --block 64 --arg in:i32:50=iota --arg out:i32:64 --arg i32:50
//! clean
//! defect 1: out_of_bounds at copy
#include <cuda_pipeline.h>
extern "C" __global__ void fill(const int* in, int* out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x;
#if DEFECT
    __pipeline_memcpy_async(&s[t], &in[t], 4); // <- copy
#else
    __pipeline_memcpy_async(&s[t], &in[t], 4, t < n ? 0 : 4);
#endif
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = s[63 - t];
}
