// Pairs of halves are added to a sum by one packed atomic, which PTX takes for one operation on each half: atomics on a single half exclude it. Atomics on the pair as a word don't.
//@ run --entry sums --grid 2 --block 32 --arg in:i32:64=iota --arg inout:f16:4=zeros
//! clean
//! defect 1: race at word
//! defect 2: race at plain
#include <cuda_fp16.h>
extern "C" __global__ void sums(const int* in, __half2* out)
{
    int t = threadIdx.x, v = in[blockIdx.x * 32 + t];
    __half2 add = __halves2half2(__int2half_rn(v % 3), __int2half_rn(1));
    if (v % 4 == 0) {
#if DEFECT == 1
        atomicOr((unsigned*)&out[t % 2], 0x8000); // <- word
#elif DEFECT == 2
        ((__half*)&out[t % 2])[1] = __int2half_rn(v % 3); // <- plain
#else
        atomicAdd((__half*)&out[t % 2], __int2half_rn(v % 3));
#endif
    } else {
        atomicAdd(&out[t % 2], add);
    }
}
