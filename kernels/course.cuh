// What every kernel of the course may use: `#include "course.cuh"`.
//
// Device code only. The judge compiles this header together with your kernel, on every device
// alike.
#pragma once

// A choice of yours that the host side must know, such as the number of threads in a block:
//
//     LAUNCH_CONSTANT(BLOCK_SIZE, 256);
//
// In your kernel BLOCK_SIZE is an ordinary compile-time constant. The judge reads the second,
// external variable from the compiled code and launches accordingly; each exercise says between
// which bounds a value may lie.
#define LAUNCH_CONSTANT(NAME, value) \
    constexpr int NAME = (value);    \
    extern "C" __device__ const int course_constant_##NAME = NAME

// How many groups of `size` it takes to hold `count` things.
__host__ __device__ constexpr int ceil_div(int count, int size) {
    return (count + size - 1) / size;
}

// Does nothing, but not before `value` has arrived: a read is over only when its value is there,
// and what follows this line, such as a second look at the clock, must not run earlier. `value`
// must not be the most negative number of its type.
__device__ __forceinline__ void wait_for(int value) {
    if (value == static_cast<int>(0x80000000)) {
        __trap();
    }
}
__device__ __forceinline__ void wait_for(long long value) {
    if (value == static_cast<long long>(0x8000000000000000ULL)) {
        __trap();
    }
}
