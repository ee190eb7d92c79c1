// Two sums of bfloat16 lie in one word of shared memory. Packed atomics and atomics on one half exclude each other half by half; a compare-and-swap on the word excludes neither.
//@ run --entry sums --grid 1 --block 64 --arg in:i32:64=iota --arg out:f32:8
//! clean
//! defect 1: race at packed and word
//! defect 2: race at packed and first
#include <cuda_bf16.h>
extern "C" __global__ void sums(const int* in, float* out)
{
    __shared__ __nv_bfloat162 s[4];
    int t = threadIdx.x, v = in[t];
    if (t < 4) s[t] = __floats2bfloat162_rn(0.0f, 0.0f); // <- first
#if DEFECT != 2
    __syncthreads();
#endif
    if (v % 3 == 0) {
#if DEFECT == 1
        unsigned* word = (unsigned*)&s[v % 4];
        unsigned seen = 0, old;
        do {
            old = seen;
            seen = atomicCAS(word, old, old + 0x00010000); // <- word
        } while (seen != old);
#else
        atomicAdd((__nv_bfloat16*)&s[v % 4] + 1, __float2bfloat16(1.0f));
#endif
    } else {
        atomicAdd(&s[v % 4], __floats2bfloat162_rn(1.0f, 2.0f)); // <- packed
    }
    __syncthreads();
    if (t < 4) {
        float2 sum = __bfloat1622float2(s[t]);
        out[2 * t] = sum.x;
        out[2 * t + 1] = sum.y;
    }
}
