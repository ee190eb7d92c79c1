// A copy from global to shared memory that goes on in the background: wait for it, then for the other threads.
//@ run --entry fetch --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race|uninitialized_read at copy|load
//! defect 2: race at copy and load
#include <cuda_pipeline.h>
extern "C" __global__ void fetch(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4); // <- copy
    __pipeline_commit();
#if DEFECT != 1
    __pipeline_wait_prior(0);
#endif
#if DEFECT != 2
    __syncthreads();
#endif
    out[t] = s[63 - t]; // <- load
}
