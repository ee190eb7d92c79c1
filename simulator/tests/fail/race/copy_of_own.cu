//@ run --entry own --grid 1 --block 32 --arg inout:i32:32=iota --arg out:i32:32
// A thread reads what it copies, and writes what it copies from, without having waited.
#include <cuda_pipeline.h>

extern "C" __global__ void own(int* in, int* out)
{
    __shared__ int tile[32];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[t], 4);
    __pipeline_commit();
    out[t] = tile[t];
    in[t] = 0;
    __pipeline_wait_prior(0);
}
