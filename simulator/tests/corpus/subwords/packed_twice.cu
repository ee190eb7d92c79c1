// Halves of two kinds of sums: pairs are only ever added as pairs, from both blocks, and read as pairs by the block that comes last.
//@ run --entry sums --grid 2 --block 32 --arg in:i32:64=iota --arg inout:f16:8=zeros --arg inout:i32:1=zeros --arg out:f32:8
//! clean
//! defect 1: race at packed and word
//! defect 2: race at packed and read
#include <cuda_fp16.h>
extern "C" __global__ void sums(const int* in, __half2* sum, unsigned* tickets, float* out)
{
    __shared__ bool last;
    int t = threadIdx.x, v = in[blockIdx.x * 32 + t];
    atomicAdd(&sum[v % 4], __floats2half2_rn(1.0f, (float)(v % 3))); // <- packed
#if DEFECT == 1
    if (v == 63) atomicExch((unsigned*)&sum[0], 0u); // <- word
#endif
#if DEFECT != 2
    __threadfence();
#endif
    __syncthreads();
    if (t == 0) last = atomicAdd(tickets, 1u) == 1;
    __syncthreads();
    if (last && t < 4) {
#if DEFECT != 2
        __threadfence();
#endif
        float2 both = __half22float2(sum[t]); // <- read
        out[2 * t] = both.x;
        out[2 * t + 1] = both.y;
    }
}
