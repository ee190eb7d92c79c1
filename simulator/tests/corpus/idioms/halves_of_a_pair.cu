// Two threads write the halves of one word, a third reads both together.
//@ run --entry pairs --grid 1 --block 64 --arg in:i32:64=iota --arg out:f32:32
//! clean
//! defect 1: race at half and pair
//! defect 2: race at half and whole
#include <cuda_fp16.h>
extern "C" __global__ void pairs(const int* in, float* out)
{
    __shared__ __half2 word[32];
    __half* single = (__half*)word;
    int t = threadIdx.x;
#if DEFECT == 2
    // Reads the neighbour's half along with the word and writes it back.
    __half2 both = word[t / 2]; // <- whole
    single[t] = __int2half_rn(in[t]); // <- half
    if (t % 2) word[t / 2] = __halves2half2(__low2half(both), __int2half_rn(in[t])); // <- whole
#else
    single[t] = __int2half_rn(in[t]); // <- half
#endif
#if DEFECT != 1
    __syncthreads();
#endif
    if (t < 32) {
        float2 both = __half22float2(word[(t + 5) % 32]); // <- pair
        out[t] = both.x + both.y;
    }
}
