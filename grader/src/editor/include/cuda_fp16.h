// Floats of two bytes, as far as kernels of a course use them. Declarations only.
#pragma once

struct __align__(2) __half {
    unsigned short bits;
    __half() = default;
    __host__ __device__ __half(float x);
    __host__ __device__ __half(double x);
    __host__ __device__ __half(int x);
    __host__ __device__ operator float() const;
};
typedef __half half;
struct __align__(4) __half2 {
    __half x, y;
};
typedef __half2 half2;

__host__ __device__ __half __float2half(float x);
__host__ __device__ __half __float2half_rn(float x);
__host__ __device__ float __half2float(__half x);
__device__ __half __hadd(__half x, __half y);
__device__ __half __hsub(__half x, __half y);
__device__ __half __hmul(__half x, __half y);
__device__ __half __hdiv(__half x, __half y);
__device__ __half __hfma(__half x, __half y, __half z);
__device__ __half __hmax(__half x, __half y);
__device__ __half __hmin(__half x, __half y);
__host__ __device__ __half2 __floats2half2_rn(float x, float y);
__host__ __device__ __half2 __halves2half2(__half x, __half y);
__host__ __device__ float2 __half22float2(__half2 x);
__device__ __half2 __hadd2(__half2 x, __half2 y);
__device__ __half2 __hmul2(__half2 x, __half2 y);
__device__ __half2 __hfma2(__half2 x, __half2 y, __half2 z);
