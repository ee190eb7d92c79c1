// Conversions with every rounding mode, saturation at both ends, NaN to zero, and reinterpretation.
//@ run --entry conversions --grid 1 --block 128 --arg in:f32:128=convertible.npy
//@ run --arg in:i32:128=wide_ints.npy --arg in:f64:128=convertible_doubles.npy --arg out:i32:14x128
//@ run --arg out:f32:16x128 --arg out:f64:5x128 --arg out:i64:4x128
// save: 3 4 5 6
// reference: conversions

#include <cuda_fp16.h>

extern "C" __global__ void conversions(const float* f, const int* k, const double* d, int* ints, float* floats, double* doubles, long long* longs)
{
    int i = threadIdx.x, n = blockDim.x;
    float x = f[i];
    int w = k[i];
    double z = d[i];
    unsigned r;
    float s;
    int row = 0;
    auto put = [&](int value) { ints[row++ * n + i] = value; };
    put(__float2int_rn(x));
    put(__float2int_rz(x));
    put(__float2int_ru(x));
    put(__float2int_rd(x));
    put(__float2uint_rn(x));
    put(__float2uint_rz(x));
    asm("cvt.rzi.u8.f32 %0, %1;" : "=r"(r) : "f"(x));
    put(r & 255);
    asm("cvt.rni.s8.f32 %0, %1;" : "=r"(r) : "f"(x));
    put((int)(signed char)r);
    asm("cvt.sat.s8.s32 %0, %1;" : "=r"(r) : "r"(w));
    put((int)(signed char)r);
    asm("cvt.sat.u16.s32 %0, %1;" : "=r"(r) : "r"(w));
    put(r & 65535);
    put((int)(short)w);
    put((int)(unsigned char)w);
    put(__float_as_int(x));
    put(__double2int_rn(z));

    row = 0;
    auto putf = [&](float value) { floats[row++ * n + i] = value; };
    putf(__int2float_rn(w));
    putf(__int2float_rz(w));
    putf(__int2float_ru(w));
    putf(__int2float_rd(w));
    putf(__uint2float_rn(w));
    putf(__uint2float_rz(w));
    putf(__double2float_rn(z));
    putf(__double2float_rz(z));
    putf(__double2float_ru(z));
    putf(__double2float_rd(z));
    putf(__half2float(__float2half_rn(x)));
    putf(__half2float(__float2half_rz(x)));
    putf(__half2float(__float2half_ru(x)));
    putf(__half2float(__float2half_rd(x)));
    putf(__saturatef(x));
    asm("cvt.rni.f32.f32 %0, %1;" : "=f"(s) : "f"(x));
    putf(s);

    doubles[0 * n + i] = x;
    doubles[1 * n + i] = w;
    doubles[2 * n + i] = (unsigned)w;
    doubles[3 * n + i] = __ll2double_rn((long long)w * 1073741789LL);
    doubles[4 * n + i] = __ull2double_rz((unsigned long long)(unsigned)w * 4294967297ULL);
    longs[0 * n + i] = __double2ll_rz(z);
    longs[1 * n + i] = __double2ll_rn(z);
    longs[2 * n + i] = __double_as_longlong(z);
    longs[3 * n + i] = (long long)w * w;
}
