//@ run --entry stage --grid 2 --block 32 --arg in:i32:60=iota --arg out:i32:64
// The copy in the background asks for what lies behind the input, and says nothing of zeros in its place.
#include <cuda_pipeline.h>

extern "C" __global__ void stage(const int* in, int* out)
{
    __shared__ int tile[32];
    int t = threadIdx.x, at = blockIdx.x * 32 + t;
    __pipeline_memcpy_async(&tile[t], &in[at], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[at] = tile[t];
}
