// Single-precision add, multiply, divide and fused multiply-add in all four rounding modes: every bit must be right.
//@ run --entry float_rounding --grid 1 --block 192 --arg in:f32:192=moderate.npy
//@ run --arg in:f32:192=moderate2.npy --arg in:f32:192=moderate3.npy --arg out:f32:21x192
// save: 3
// reference: float_rounding

extern "C" __global__ void float_rounding(const float* a, const float* b, const float* c, float* out)
{
    int i = threadIdx.x, n = blockDim.x;
    float x = a[i], y = b[i], z = c[i];
    int row = 0;
    auto put = [&](float value) { out[row++ * n + i] = value; };
    put(__fadd_rn(x, y));
    put(__fadd_rz(x, y));
    put(__fadd_ru(x, y));
    put(__fadd_rd(x, y));
    put(__fmul_rn(x, y));
    put(__fmul_rz(x, y));
    put(__fmul_ru(x, y));
    put(__fmul_rd(x, y));
    put(__fdiv_rn(x, y));
    put(__fdiv_rz(x, y));
    put(__fdiv_ru(x, y));
    put(__fdiv_rd(x, y));
    put(__fmaf_rn(x, y, z));
    put(__fmaf_rz(x, y, z));
    put(__fmaf_ru(x, y, z));
    put(__fmaf_rd(x, y, z));
    put(__frcp_rn(x));
    put(__fsqrt_rn(fabsf(x)));
    put(__fsub_rn(x, y));
    put(x / y);
    put(sqrtf(fabsf(y)));
}
