// 16-bit floats added up atomically beside each other's plain neighbours.
//@ run --entry add --grid 2 --block 32 --arg inout:u16:4=zeros --arg out:u16:64
//! clean
//! defect 1: race at plain and add
//! defect 2: race at pair and add
#include <cuda_fp16.h>
extern "C" __global__ void add(__half* sums, __half* out)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    atomicAdd(&sums[1], __float2half(1.0f)); // <- add
    if (i == 40) {
#if DEFECT == 1
        sums[1] = __float2half(2.0f); // <- plain
#elif DEFECT == 2
        *(__half2*)sums = __half2half2(__float2half(2.0f)); // <- pair
#else
        sums[0] = __float2half(2.0f);
#endif
    }
    out[i] = __float2half(3.0f);
}
