// What is copied must not be overwritten before the copy has arrived.
//@ run --entry source --grid 1 --block 64 --arg inout:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at copy and write
//! defect 2: race at copy and other
#include <cuda_pipeline.h>
extern "C" __global__ void source(int* data, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &data[t], 4); // <- copy
    __pipeline_commit();
#if DEFECT == 1
    data[t] = 7; // <- write
#elif DEFECT == 2
    __syncthreads();
    data[63 - t] = 7; // <- other
#endif
    __pipeline_wait_prior(0);
    __syncthreads();
#if !DEFECT
    data[63 - t] = 7;
#endif
    out[t] = s[63 - t];
}
