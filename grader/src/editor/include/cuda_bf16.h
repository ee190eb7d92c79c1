// The upper halves of floats, as far as kernels of a course use them. Declarations only.
#pragma once

struct __align__(2) __nv_bfloat16 {
    unsigned short bits;
    __nv_bfloat16() = default;
    __host__ __device__ __nv_bfloat16(float x);
    __host__ __device__ __nv_bfloat16(double x);
    __host__ __device__ __nv_bfloat16(int x);
    __host__ __device__ operator float() const;
};
typedef __nv_bfloat16 nv_bfloat16;
struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
};
typedef __nv_bfloat162 nv_bfloat162;

__host__ __device__ __nv_bfloat16 __float2bfloat16(float x);
__host__ __device__ __nv_bfloat16 __float2bfloat16_rn(float x);
__host__ __device__ float __bfloat162float(__nv_bfloat16 x);
__host__ __device__ unsigned short __bfloat16_as_ushort(__nv_bfloat16 x);
__host__ __device__ __nv_bfloat16 __ushort_as_bfloat16(unsigned short x);
__device__ __nv_bfloat16 __hadd(__nv_bfloat16 x, __nv_bfloat16 y);
__device__ __nv_bfloat16 __hmul(__nv_bfloat16 x, __nv_bfloat16 y);
__device__ __nv_bfloat16 __hfma(__nv_bfloat16 x, __nv_bfloat16 y, __nv_bfloat16 z);
__host__ __device__ __nv_bfloat162 __floats2bfloat162_rn(float x, float y);
__host__ __device__ __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y);
__host__ __device__ float2 __bfloat1622float2(__nv_bfloat162 x);
