// bfloat16 arithmetic: the upper half of a float, rounded to nearest even after each operation.
//@ run --entry bfloat16 --grid 1 --block 128 --arg in:f32:128=small_positive.npy
//@ run --arg in:f32:128=small_positive2.npy --arg out:f32:6x128
// save: 2
// reference: bfloat16

#include <cuda_bf16.h>

extern "C" __global__ void bfloat16(const float* a, const float* b, float* out)
{
    int i = threadIdx.x, n = blockDim.x;
    __nv_bfloat16 x = __float2bfloat16_rn(a[i]), y = __float2bfloat16_rn(b[i]);
    out[0 * n + i] = __bfloat162float(x);
    out[1 * n + i] = __bfloat162float(__hadd_rn(x, y));
    out[2 * n + i] = __bfloat162float(__hmul_rn(x, y));
    out[3 * n + i] = __bfloat162float(__hfma(x, y, y));
    out[4 * n + i] = __bfloat162float(__hmax(x, y));
    out[5 * n + i] = __bfloat162float(__float2bfloat16_rz(a[i]));
}
