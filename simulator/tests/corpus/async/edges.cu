// Copies of sixteen bytes must lie inside both arrays, at multiples of sixteen.
//@ run --entry edges --grid 1 --block 32 --arg in:i32:128=iota --arg out:i32:128
//! clean
//! defect 1: out_of_bounds at copy
//! defect 2: out_of_bounds at copy
//! defect 3: misaligned at copy
#include <cuda_pipeline.h>
extern "C" __global__ void edges(const int* in, int* out)
{
    __shared__ __align__(16) int s[128];
    int t = threadIdx.x;
    const int* from = in + 4 * t;
    int* to = s + 4 * t;
#if DEFECT == 1
    from += 4;
#elif DEFECT == 2
    to += 4;
#elif DEFECT == 3
    if (t < 31) from += 1;
#endif
    __pipeline_memcpy_async(to, from, 16); // <- copy
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int i = t; i < 128; i += 32) out[i] = s[i];
}
