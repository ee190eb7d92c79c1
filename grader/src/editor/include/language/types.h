// Sizes, and vectors of one to four elements with the functions that make them.
// What needs it has it already: no editor is to include it.
// IWYU pragma: private, include "course.cuh"
#pragma once

typedef __SIZE_TYPE__ size_t;
typedef long clock_t;

#define CUDA_VECTORS(type, name, alignment_of_2, alignment_of_4)        \
    struct name##1 { type x; };                                         \
    struct __align__(alignment_of_2) name##2 { type x, y; };            \
    struct name##3 { type x, y, z; };                                   \
    struct __align__(alignment_of_4) name##4 { type x, y, z, w; };      \
    __host__ __device__ name##1 make_##name##1(type x);                 \
    __host__ __device__ name##2 make_##name##2(type x, type y);         \
    __host__ __device__ name##3 make_##name##3(type x, type y, type z); \
    __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w);

CUDA_VECTORS(signed char, char, 2, 4)
CUDA_VECTORS(unsigned char, uchar, 2, 4)
CUDA_VECTORS(short, short, 4, 8)
CUDA_VECTORS(unsigned short, ushort, 4, 8)
CUDA_VECTORS(int, int, 8, 16)
CUDA_VECTORS(unsigned int, uint, 8, 16)
CUDA_VECTORS(long, long, 16, 16)
CUDA_VECTORS(unsigned long, ulong, 16, 16)
CUDA_VECTORS(long long, longlong, 16, 16)
CUDA_VECTORS(unsigned long long, ulonglong, 16, 16)
CUDA_VECTORS(float, float, 8, 16)
CUDA_VECTORS(double, double, 16, 16)
#undef CUDA_VECTORS

// The size of a grid or a block.
struct dim3 {
    unsigned int x, y, z;
    __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
        : x(x), y(y), z(z) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};

// What `for (int i : {1, 2, 3})` needs.
namespace std {
template <typename T> class initializer_list {
    const T *first;
    size_t count;

  public:
    constexpr const T *begin() const { return first; }
    constexpr const T *end() const { return first + count; }
    constexpr size_t size() const { return count; }
};
} // namespace std
