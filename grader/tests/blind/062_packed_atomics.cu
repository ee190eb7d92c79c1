// Atomic additions of packed halves and bfloat16 pairs; sums of small integers are exact in both.
//@ run --entry packed_atomics --grid 2 --block 32 --arg out:f32:4
// save: 0
// reference: packed_atomics

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ __half2 half_sums;
__device__ __nv_bfloat162 bfloat_sums;
__device__ unsigned arrived;

extern "C" __global__ void packed_atomics(float* out)
{
    int t = threadIdx.x;
    atomicAdd(&half_sums, __floats2half2_rn((float)(t % 4), 1.0f));
    atomicAdd(&bfloat_sums, __floats2bfloat162_rn(1.0f, (float)(t % 3)));
    __syncthreads();
    if (t == 0) {
        __threadfence();
        if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
            __threadfence();
            float2 h = __half22float2(half_sums), b = __bfloat1622float2(bfloat_sums);
            out[0] = h.x;
            out[1] = h.y;
            out[2] = b.x;
            out[3] = b.y;
        }
    }
}
