// Where functions run and variables lie.
// What needs it has it already: no editor is to include it.
// IWYU pragma: private, include "course.cuh"
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __grid_constant__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__ __inline__
#if __clang_major__ < 14
#define __noinline__ __attribute__((noinline))
#endif
