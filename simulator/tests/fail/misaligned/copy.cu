//@ run --entry stage --grid 1 --block 32 --arg in:i32:132=iota --arg out:i32:128
// A copy of sixteen bytes in the background, from an address that is a multiple of four only.
#include <cuda_pipeline.h>

extern "C" __global__ void stage(const int* in, int* out)
{
    __shared__ __align__(16) int tile[128];
    int t = threadIdx.x;
    unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[4 * t]));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + 4 * t + 1) : "memory");
    __pipeline_commit();
    __pipeline_wait_prior(0);
    for (int i = 0; i < 4; ++i) out[4 * t + i] = tile[4 * t + i];
}
