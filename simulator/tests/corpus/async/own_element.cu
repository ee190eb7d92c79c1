// A thread copies its own element: nobody else has to know, but it must wait itself.
//@ run --entry own --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at copy and load
//! defect 2: race at copy and load
#include <cuda_pipeline.h>
extern "C" __global__ void own(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4); // <- copy
#if DEFECT == 1
    __pipeline_commit();
#elif DEFECT == 2
    __pipeline_wait_prior(0);
    __pipeline_commit();
#else
    __pipeline_commit();
    __pipeline_wait_prior(0);
#endif
    out[t] = s[t] + 1; // <- load
}
