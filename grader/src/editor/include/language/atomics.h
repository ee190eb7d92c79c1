// One access that reads and writes, which no other access comes between. Each gives what was there before.
// What needs it has it already: no editor is to include it.
// IWYU pragma: private, include "course.cuh"
#pragma once

// Order: for every thread of the device, of the block (`_block`), or of the whole system (`_system`).
#define CUDA_SCOPES(type, name, parameters)  \
    __device__ type name parameters;         \
    __device__ type name##_block parameters; \
    __device__ type name##_system parameters;

CUDA_SCOPES(int, atomicAdd, (int *address, int value))
CUDA_SCOPES(unsigned int, atomicAdd, (unsigned int *address, unsigned int value))
CUDA_SCOPES(unsigned long long, atomicAdd, (unsigned long long *address, unsigned long long value))
CUDA_SCOPES(float, atomicAdd, (float *address, float value))
CUDA_SCOPES(double, atomicAdd, (double *address, double value))
CUDA_SCOPES(int, atomicSub, (int *address, int value))
CUDA_SCOPES(unsigned int, atomicSub, (unsigned int *address, unsigned int value))

#define CUDA_WORDS(name)                                                         \
    CUDA_SCOPES(int, name, (int *address, int value))                            \
    CUDA_SCOPES(unsigned int, name, (unsigned int *address, unsigned int value)) \
    CUDA_SCOPES(long long, name, (long long *address, long long value))          \
    CUDA_SCOPES(unsigned long long, name, (unsigned long long *address, unsigned long long value))
CUDA_WORDS(atomicMin)
CUDA_WORDS(atomicMax)
CUDA_WORDS(atomicAnd)
CUDA_WORDS(atomicOr)
CUDA_WORDS(atomicXor)
#undef CUDA_WORDS

CUDA_SCOPES(int, atomicExch, (int *address, int value))
CUDA_SCOPES(unsigned int, atomicExch, (unsigned int *address, unsigned int value))
CUDA_SCOPES(unsigned long long, atomicExch, (unsigned long long *address, unsigned long long value))
CUDA_SCOPES(float, atomicExch, (float *address, float value))
CUDA_SCOPES(int, atomicCAS, (int *address, int expected, int value))
CUDA_SCOPES(unsigned int, atomicCAS,
            (unsigned int *address, unsigned int expected, unsigned int value))
CUDA_SCOPES(unsigned long long, atomicCAS,
            (unsigned long long *address, unsigned long long expected, unsigned long long value))
CUDA_SCOPES(unsigned short, atomicCAS,
            (unsigned short *address, unsigned short expected, unsigned short value))
// old >= limit ? 0 : old + 1
CUDA_SCOPES(unsigned int, atomicInc, (unsigned int *address, unsigned int limit))
// old == 0 || old > limit ? limit : old - 1
CUDA_SCOPES(unsigned int, atomicDec, (unsigned int *address, unsigned int limit))
#undef CUDA_SCOPES
