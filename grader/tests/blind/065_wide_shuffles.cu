// Shuffles of doubles, 64-bit integers and halves; a butterfly sum of doubles is exact for small integers.
//@ run --entry wide_shuffles --grid 1 --block 64 --arg in:f64:64=iota --arg out:f64:3x64
// save: 1
// reference: wide_shuffles

#include <cuda_fp16.h>

extern "C" __global__ void wide_shuffles(const double* in, double* out)
{
    const unsigned all = 0xffffffffu;
    int t = threadIdx.x;
    double v = in[t], sum = v;
    for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(all, sum, mask);
    out[t] = sum;
    out[64 + t] = (double)__shfl_up_sync(all, (unsigned long long)(v * 1e12), 4);
    __half2 pair = __shfl_xor_sync(all, __floats2half2_rn((float)v, (float)(v + 100.0)), 2);
    out[128 + t] = __low2float(pair) + 1000.0f * __high2float(pair);
}
