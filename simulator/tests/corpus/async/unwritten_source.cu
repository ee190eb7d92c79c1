// A copy of what nothing has written is as undefined as its source.
//@ run --entry unwritten --grid 1 --block 64 --arg out:i32:64 --arg out:i32:64
//! clean
//! defect 1: uninitialized_read at store
#include <cuda_pipeline.h>
extern "C" __global__ void unwritten(int* scratch, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
#if !DEFECT
    scratch[t] = t;
#else
    if (t != 9) scratch[t] = t;
#endif
    __pipeline_memcpy_async(&s[t], &scratch[t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = s[63 - t]; // <- store
    scratch[t] = 0;
}
