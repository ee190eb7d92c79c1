// Two copies begun in two groups; waiting for all but one leaves the second under way.
//@ run --entry copies --grid 1 --block 32 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at begin and use
#include <cuda_pipeline.h>
extern "C" __global__ void copies(const int* in, int* out)
{
    __shared__ int s[2][32];
    int t = threadIdx.x;
    for (int k = 0; k < 2; ++k) {
        __pipeline_memcpy_async(&s[k][t], &in[k * 32 + t], 4); // <- begin
        __pipeline_commit();
    }
#if DEFECT
    __pipeline_wait_prior(1);
#else
    __pipeline_wait_prior(0);
#endif
    __syncthreads();
    out[t] = s[0][31 - t];
    out[32 + t] = s[1][31 - t]; // <- use
}
