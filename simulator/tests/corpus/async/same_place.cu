// Two copies to one place have no order unless the first has arrived before the second begins; nor has a store.
//@ run --entry twice --grid 1 --block 64 --arg in:i32:128=iota --arg out:i32:64
//! clean
//! defect 1: race at first and second
//! defect 2: race at second and store
#include <cuda_pipeline.h>
extern "C" __global__ void twice(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = 1;
    __pipeline_memcpy_async(&s[t], &in[t], 4); // <- first
    __pipeline_commit();
#if DEFECT != 1
    __pipeline_wait_prior(0);
#endif
    int before = 0;
#if DEFECT != 1
    before = s[t];
#endif
    __pipeline_memcpy_async(&s[t], &in[64 + t], 4); // <- second
    __pipeline_commit();
#if DEFECT == 2
    if (t == 5) s[t] = 3; // <- store
#endif
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = s[63 - t] + before;
}
