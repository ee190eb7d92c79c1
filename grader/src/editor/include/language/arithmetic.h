// Arithmetic: the mathematical functions, conversions, and operations on bits.
// What needs it has it already: no editor is to include it.
// IWYU pragma: private, include "course.cuh"
#pragma once

// Of doubles, of floats by the name with f, and of floats by the plain name.
#define CUDA_OF_ONE(name)                         \
    extern "C" __device__ double name(double x);  \
    extern "C" __device__ float name##f(float x); \
    __device__ float name(float x);
CUDA_OF_ONE(acos)
CUDA_OF_ONE(acosh)
CUDA_OF_ONE(asin)
CUDA_OF_ONE(asinh)
CUDA_OF_ONE(atan)
CUDA_OF_ONE(atanh)
CUDA_OF_ONE(cbrt)
CUDA_OF_ONE(ceil)
CUDA_OF_ONE(cos)
CUDA_OF_ONE(cosh)
CUDA_OF_ONE(cospi)
CUDA_OF_ONE(erf)
CUDA_OF_ONE(erfc)
CUDA_OF_ONE(erfcinv)
CUDA_OF_ONE(erfcx)
CUDA_OF_ONE(erfinv)
CUDA_OF_ONE(exp)
CUDA_OF_ONE(exp10)
CUDA_OF_ONE(exp2)
CUDA_OF_ONE(expm1)
CUDA_OF_ONE(fabs)
CUDA_OF_ONE(floor)
CUDA_OF_ONE(j0)
CUDA_OF_ONE(j1)
CUDA_OF_ONE(lgamma)
CUDA_OF_ONE(log)
CUDA_OF_ONE(log10)
CUDA_OF_ONE(log1p)
CUDA_OF_ONE(log2)
CUDA_OF_ONE(logb)
CUDA_OF_ONE(nearbyint)
CUDA_OF_ONE(normcdf)
CUDA_OF_ONE(normcdfinv)
CUDA_OF_ONE(rcbrt)
CUDA_OF_ONE(rint)
CUDA_OF_ONE(round)
CUDA_OF_ONE(rsqrt)
CUDA_OF_ONE(sin)
CUDA_OF_ONE(sinh)
CUDA_OF_ONE(sinpi)
CUDA_OF_ONE(sqrt)
CUDA_OF_ONE(tan)
CUDA_OF_ONE(tanh)
CUDA_OF_ONE(tgamma)
CUDA_OF_ONE(trunc)
CUDA_OF_ONE(y0)
CUDA_OF_ONE(y1)
#undef CUDA_OF_ONE

#define CUDA_OF_TWO(name)                                  \
    extern "C" __device__ double name(double x, double y); \
    extern "C" __device__ float name##f(float x, float y); \
    __device__ float name(float x, float y);
CUDA_OF_TWO(atan2)
CUDA_OF_TWO(copysign)
CUDA_OF_TWO(fdim)
CUDA_OF_TWO(fdivide)
CUDA_OF_TWO(fmax)
CUDA_OF_TWO(fmin)
CUDA_OF_TWO(fmod)
CUDA_OF_TWO(hypot)
CUDA_OF_TWO(nextafter)
CUDA_OF_TWO(pow)
CUDA_OF_TWO(remainder)
CUDA_OF_TWO(rhypot)
#undef CUDA_OF_TWO

// x * y + z, rounded once.
extern "C" __device__ double fma(double x, double y, double z);
extern "C" __device__ float fmaf(float x, float y, float z);
__device__ float fma(float x, float y, float z);
extern "C" __device__ double ldexp(double x, int exponent);
extern "C" __device__ float ldexpf(float x, int exponent);
extern "C" __device__ double scalbn(double x, int exponent);
extern "C" __device__ float scalbnf(float x, int exponent);
extern "C" __device__ double frexp(double x, int *exponent);
extern "C" __device__ float frexpf(float x, int *exponent);
extern "C" __device__ double modf(double x, double *whole);
extern "C" __device__ float modff(float x, float *whole);
extern "C" __device__ void sincos(double x, double *sine, double *cosine);
extern "C" __device__ void sincosf(float x, float *sine, float *cosine);
extern "C" __device__ void sincospi(double x, double *sine, double *cosine);
extern "C" __device__ void sincospif(float x, float *sine, float *cosine);
extern "C" __device__ int ilogb(double x);
extern "C" __device__ int ilogbf(float x);
extern "C" __device__ long lrint(double x);
extern "C" __device__ long lrintf(float x);
extern "C" __device__ long lround(double x);
extern "C" __device__ long lroundf(float x);
extern "C" __device__ long long llrint(double x);
extern "C" __device__ long long llrintf(float x);
extern "C" __device__ long long llround(double x);
extern "C" __device__ long long llroundf(float x);
__device__ double norm3d(double x, double y, double z);
__device__ float norm3df(float x, float y, float z);
__device__ float rnorm3df(float x, float y, float z);
__device__ bool isfinite(float x);
__device__ bool isfinite(double x);
__device__ bool isinf(float x);
__device__ bool isinf(double x);
__device__ bool isnan(float x);
__device__ bool isnan(double x);
__device__ bool signbit(float x);
__device__ bool signbit(double x);
extern "C" __device__ int abs(int x);
extern "C" __device__ long labs(long x);
extern "C" __device__ long long llabs(long long x);
__device__ long abs(long x);
__device__ long long abs(long long x);
__device__ float abs(float x);
__device__ double abs(double x);

// The smaller and the larger of two.
__host__ __device__ int min(int x, int y);
__host__ __device__ unsigned int min(unsigned int x, unsigned int y);
__host__ __device__ long min(long x, long y);
__host__ __device__ unsigned long min(unsigned long x, unsigned long y);
__host__ __device__ long long min(long long x, long long y);
__host__ __device__ unsigned long long min(unsigned long long x, unsigned long long y);
__host__ __device__ float min(float x, float y);
__host__ __device__ double min(double x, double y);
__host__ __device__ unsigned int min(int x, unsigned int y);
__host__ __device__ unsigned int min(unsigned int x, int y);
__host__ __device__ unsigned long min(long x, unsigned long y);
__host__ __device__ unsigned long min(unsigned long x, long y);
__host__ __device__ unsigned long long min(long long x, unsigned long long y);
__host__ __device__ unsigned long long min(unsigned long long x, long long y);
__host__ __device__ double min(float x, double y);
__host__ __device__ double min(double x, float y);
__host__ __device__ int max(int x, int y);
__host__ __device__ unsigned int max(unsigned int x, unsigned int y);
__host__ __device__ long max(long x, long y);
__host__ __device__ unsigned long max(unsigned long x, unsigned long y);
__host__ __device__ long long max(long long x, long long y);
__host__ __device__ unsigned long long max(unsigned long long x, unsigned long long y);
__host__ __device__ float max(float x, float y);
__host__ __device__ double max(double x, double y);
__host__ __device__ unsigned int max(int x, unsigned int y);
__host__ __device__ unsigned int max(unsigned int x, int y);
__host__ __device__ unsigned long max(long x, unsigned long y);
__host__ __device__ unsigned long max(unsigned long x, long y);
__host__ __device__ unsigned long long max(long long x, unsigned long long y);
__host__ __device__ unsigned long long max(unsigned long long x, long long y);
__host__ __device__ double max(float x, double y);
__host__ __device__ double max(double x, float y);
__device__ unsigned int umin(unsigned int x, unsigned int y);
__device__ unsigned int umax(unsigned int x, unsigned int y);
__device__ long long llmin(long long x, long long y);
__device__ long long llmax(long long x, long long y);

// Fast and less exact.
__device__ float __cosf(float x);
__device__ float __exp10f(float x);
__device__ float __expf(float x);
__device__ float __log10f(float x);
__device__ float __log2f(float x);
__device__ float __logf(float x);
__device__ float __sinf(float x);
__device__ float __tanf(float x);
__device__ float __saturatef(float x);
__device__ float __powf(float x, float y);
__device__ float __fdividef(float x, float y);
__device__ void __sincosf(float x, float *sine, float *cosine);

// Rounded as the name says: to the nearest, towards zero, up, down.
#define CUDA_ROUNDED(way)                                        \
    __device__ float __fadd_##way(float x, float y);             \
    __device__ float __fsub_##way(float x, float y);             \
    __device__ float __fmul_##way(float x, float y);             \
    __device__ float __fdiv_##way(float x, float y);             \
    __device__ float __fmaf_##way(float x, float y, float z);    \
    __device__ float __frcp_##way(float x);                      \
    __device__ float __fsqrt_##way(float x);                     \
    __device__ double __dadd_##way(double x, double y);          \
    __device__ double __dsub_##way(double x, double y);          \
    __device__ double __dmul_##way(double x, double y);          \
    __device__ double __ddiv_##way(double x, double y);          \
    __device__ double __fma_##way(double x, double y, double z); \
    __device__ double __drcp_##way(double x);                    \
    __device__ double __dsqrt_##way(double x);                   \
    __device__ int __float2int_##way(float x);                   \
    __device__ unsigned int __float2uint_##way(float x);         \
    __device__ long long __float2ll_##way(float x);              \
    __device__ unsigned long long __float2ull_##way(float x);    \
    __device__ int __double2int_##way(double x);                 \
    __device__ unsigned int __double2uint_##way(double x);       \
    __device__ long long __double2ll_##way(double x);            \
    __device__ unsigned long long __double2ull_##way(double x);  \
    __device__ float __double2float_##way(double x);             \
    __device__ float __int2float_##way(int x);                   \
    __device__ float __uint2float_##way(unsigned int x);         \
    __device__ float __ll2float_##way(long long x);              \
    __device__ float __ull2float_##way(unsigned long long x);    \
    __device__ double __ll2double_##way(long long x);            \
    __device__ double __ull2double_##way(unsigned long long x);
CUDA_ROUNDED(rn)
CUDA_ROUNDED(rz)
CUDA_ROUNDED(ru)
CUDA_ROUNDED(rd)
#undef CUDA_ROUNDED
__device__ float __frsqrt_rn(float x);
__device__ double __int2double_rn(int x);
__device__ double __uint2double_rn(unsigned int x);

// The same bits as another type.
__device__ float __int_as_float(int bits);
__device__ float __uint_as_float(unsigned int bits);
__device__ int __float_as_int(float x);
__device__ unsigned int __float_as_uint(float x);
__device__ double __longlong_as_double(long long bits);
__device__ long long __double_as_longlong(double x);
__device__ double __hiloint2double(int high, int low);
__device__ int __double2hiint(double x);
__device__ int __double2loint(double x);

// Bits: how many are one, how many zeros lead, the place of the lowest one (from 1, or 0), in the other order.
__device__ int __popc(unsigned int x);
__device__ int __popcll(unsigned long long x);
__device__ int __clz(int x);
__device__ int __clzll(long long x);
__device__ int __ffs(int x);
__device__ int __ffsll(long long x);
__device__ unsigned int __fns(unsigned int mask, unsigned int base, int offset);
__device__ unsigned int __brev(unsigned int x);
__device__ unsigned long long __brevll(unsigned long long x);
__device__ unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector);
__device__ unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift);
__device__ unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift);
__device__ unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift);
__device__ unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift);

// Integers: the upper half of a product, products of 24 bits, averages, differences, dot products of bytes.
__device__ int __mulhi(int x, int y);
__device__ unsigned int __umulhi(unsigned int x, unsigned int y);
__device__ long long __mul64hi(long long x, long long y);
__device__ unsigned long long __umul64hi(unsigned long long x, unsigned long long y);
__device__ int __mul24(int x, int y);
__device__ unsigned int __umul24(unsigned int x, unsigned int y);
__device__ int __hadd(int x, int y);
__device__ int __rhadd(int x, int y);
__device__ unsigned int __uhadd(unsigned int x, unsigned int y);
__device__ unsigned int __urhadd(unsigned int x, unsigned int y);
__device__ unsigned int __sad(int x, int y, unsigned int z);
__device__ unsigned int __usad(unsigned int x, unsigned int y, unsigned int z);
__device__ int __dp4a(int x, int y, int sum);
__device__ unsigned int __dp4a(unsigned int x, unsigned int y, unsigned int sum);
