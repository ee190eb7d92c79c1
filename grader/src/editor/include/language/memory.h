// The order of accesses, addresses, loads and stores of a certain kind, and what C has.
// What needs it has it already: no editor is to include it.
// IWYU pragma: private, include "course.cuh"
#pragma once

// What this thread wrote before, every thread of its block sees before what it writes afterwards.
__device__ void __threadfence_block();
// The same for every thread of the device.
__device__ void __threadfence();
// The same for the host and other devices, too.
__device__ void __threadfence_system();

__device__ size_t __cvta_generic_to_shared(const void *pointer);
__device__ size_t __cvta_generic_to_global(const void *pointer);
__device__ size_t __cvta_generic_to_local(const void *pointer);
__device__ size_t __cvta_generic_to_constant(const void *pointer);
__device__ void *__cvta_shared_to_generic(size_t address);
__device__ void *__cvta_global_to_generic(size_t address);
__device__ void *__cvta_local_to_generic(size_t address);
__device__ void *__cvta_constant_to_generic(size_t address);
__device__ unsigned int __isShared(const void *pointer);
__device__ unsigned int __isGlobal(const void *pointer);
__device__ unsigned int __isLocal(const void *pointer);
__device__ unsigned int __isConstant(const void *pointer);

// Loads by the read-only path, and with hints to the caches.
template <typename T> __device__ T __ldg(const T *pointer);
template <typename T> __device__ T __ldca(const T *pointer);
template <typename T> __device__ T __ldcg(const T *pointer);
template <typename T> __device__ T __ldcs(const T *pointer);
template <typename T> __device__ T __ldlu(const T *pointer);
template <typename T> __device__ T __ldcv(const T *pointer);
// Stores with hints to the caches.
template <typename T> __device__ void __stwb(T *pointer, T value);
template <typename T> __device__ void __stcg(T *pointer, T value);
template <typename T> __device__ void __stcs(T *pointer, T value);
template <typename T> __device__ void __stwt(T *pointer, T value);

extern "C" {
__device__ int printf(const char *format, ...);
__device__ void *malloc(size_t bytes);
__device__ void free(void *pointer);
__device__ void *memcpy(void *to, const void *from, size_t bytes);
__device__ void *memmove(void *to, const void *from, size_t bytes);
__device__ void *memset(void *to, int byte, size_t bytes);
__device__ int memcmp(const void *one, const void *other, size_t bytes);
__device__ size_t strlen(const char *text);
__device__ clock_t clock();
}
// The multiprocessor's clock.
__device__ long long clock64();
// Sleeps for about this long.
__device__ void __nanosleep(unsigned int nanoseconds);
// Ends the kernel with an error.
__device__ void __trap();
__device__ void __brkpt();
__device__ void __assert_failed(const char *what);
#define assert(condition) ((condition) ? (void)0 : __assert_failed(#condition))

inline __device__ void *operator new(size_t, void *place) noexcept { return place; }
inline __device__ void *operator new[](size_t, void *place) noexcept { return place; }
