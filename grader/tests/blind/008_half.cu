// Half precision, scalar and packed: each result rounded once, to nearest even.
//@ run --entry halves --grid 1 --block 128 --arg in:f16:256=halves.npy --arg in:f16:256=halves2.npy
//@ run --arg out:f16:12x256 --arg out:i32:128
// save: 2 3
// reference: halves

#include <cuda_fp16.h>

extern "C" __global__ void halves(const __half* a, const __half* b, __half* out, int* greater)
{
    int i = threadIdx.x;
    __half2 x = reinterpret_cast<const __half2*>(a)[i], y = reinterpret_cast<const __half2*>(b)[i];
    __half2* rows = reinterpret_cast<__half2*>(out);
    int row = 0;
    auto put = [&](__half2 value) { rows[row++ * 128 + i] = value; };
    put(__hadd2_rn(x, y));
    put(__hsub2_rn(x, y));
    put(__hmul2_rn(x, y));
    put(__hfma2(x, y, x));
    put(__halves2half2(__hdiv(__low2half(x), __low2half(y)), __hdiv(__high2half(x), __high2half(y))));
    put(__hneg2(x));
    put(__habs2(y));
    put(__hmax2(x, y));
    put(__hmin2(x, y));
    put(__halves2half2(hsqrt(__habs(__low2half(x))), hsqrt(__habs(__high2half(x)))));
    put(__hadd2_sat(x, y));
    put(__lowhigh2highlow(x));
    greater[i] = __hgt(__low2half(x), __low2half(y)) | __hle(__high2half(x), __high2half(y)) << 1;
}
