//@ run --entry stage --grid 1 --block 32 --arg in:i32:64=iota --arg out:i32:32
// The copy writes four bytes and is told to read five of them.
#include <cuda_pipeline.h>

extern "C" __global__ void stage(const int* in, int* out)
{
    __shared__ int tile[32];
    int t = threadIdx.x;
    unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[t]));
    int bytes = t == 7 ? 5 : 4;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(in + t), "r"(bytes) : "memory");
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = tile[t];
}
