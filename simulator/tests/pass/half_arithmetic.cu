//@ run --entry k --grid 1,1,1 --block 32,1,1 --arg out:u32:256 --arg out:u32:256
// Half precision, alone and in pairs; the bits of the results. Checked against NumPy.
#include <cuda_fp16.h>
extern "C" __global__ void k(unsigned* a, unsigned* b) {
    int t = threadIdx.x;
    __half x = __float2half((t - 13) * 1.3f), y = __float2half(0.07f * t * t + 0.1f);
    __half2 v = __halves2half2(x, y), w = __halves2half2(y, x);
    __half results[16] = {
        x + y, x - y, x * y, x / y, __hfma(x, y, x), __hmax(x, y), __hmin(x, y), -x, __habs(x), __low2half(v * w),
        __high2half(__hfma2(v, w, v)), __int2half_rn(t * 3701), hfloor(x), hsqrt(y), x < y ? x : y, __float2half_rz(t * 333.77f),
    };
    for (int i = 0; i < 16; i++) (i < 8 ? a : b)[32 * (i % 8) + t] = __half_as_ushort(results[i]);
}
