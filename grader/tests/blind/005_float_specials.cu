// NaN, infinities, signed zeros and denormals through comparisons, min/max, arithmetic and classification.
//@ run --entry float_specials --grid 1 --block 169 --arg in:f32:169=special_left.npy
//@ run --arg in:f32:169=special_right.npy --arg out:f32:8x169 --arg out:u32:169
// save: 2 3
// reference: float_specials

extern "C" __global__ void float_specials(const float* a, const float* b, float* out, unsigned* flags)
{
    int i = threadIdx.x, n = blockDim.x;
    float x = a[i], y = b[i];
    int row = 0;
    auto put = [&](float value) { out[row++ * n + i] = value; };
    put(__fadd_rn(x, y));
    put(__fsub_rn(x, y));
    put(__fmul_rn(x, y));
    put(x / y);
    put(sqrtf(x));
    put(fabsf(x));
    put(copysignf(x, y));
    put(-x);
    unsigned f = 0;
    f |= (x < y) << 0 | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5;
    f |= !(x < y) << 6 | !(x >= y) << 7;
    f |= (isnan(x) ? 1u : 0u) << 8 | (isinf(x) ? 1u : 0u) << 9 | (isfinite(x) ? 1u : 0u) << 10 | (signbit(x) ? 1u : 0u) << 11;
    float lo = fminf(x, y), hi = fmaxf(x, y);
    // A NaN operand loses against a number; which zero wins is not specified, so only the value is compared.
    bool any = !isnan(x), other = !isnan(y);
    float want_lo = any && other ? (x < y ? x : y) : any ? x : y;
    float want_hi = any && other ? (x > y ? x : y) : any ? x : y;
    f |= (lo == want_lo || (isnan(lo) && isnan(want_lo))) << 12;
    f |= (hi == want_hi || (isnan(hi) && isnan(want_hi))) << 13;
    flags[i] = f;
}
