//! style: cub::BlockScan, and cub::BlockExchange between striped and blocked items.

#include <cub/block/block_exchange.cuh>
#include <cub/block/block_scan.cuh>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 128);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 4);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;

using namespace cub;

template <bool INCLUSIVE, typename T>
__device__ __forceinline__ void scan_segment(const T *in, T *out, int count) {
    using Exchange = BlockExchange<T, BLOCK_SIZE, ITEMS_PER_THREAD>;
    using Scan = BlockScan<T, BLOCK_SIZE>;
    __shared__ union {
        typename Exchange::TempStorage exchange;
        typename Scan::TempStorage scan;
    } storage;
    T items[ITEMS_PER_THREAD];
#pragma unroll
    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        int i = item * BLOCK_SIZE + threadIdx.x;
        items[item] = i < count ? in[i] : T(0);
    }
    Exchange(storage.exchange).StripedToBlocked(items, items);
    __syncthreads();
    if constexpr (INCLUSIVE) {
        Scan(storage.scan).InclusiveSum(items, items);
    } else {
        Scan(storage.scan).ExclusiveSum(items, items);
    }
    __syncthreads();
    Exchange(storage.exchange).BlockedToStriped(items, items);
#pragma unroll
    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        int i = item * BLOCK_SIZE + threadIdx.x;
        if (i < count) {
            out[i] = items[item];
        }
    }
}

template <bool INCLUSIVE, typename T>
__device__ __forceinline__ void scan(const T *in, T *out, int n) {
    int first = blockIdx.x * SEGMENT;
    scan_segment<INCLUSIVE>(in + first, out + first, min(n - first, SEGMENT));
}

extern "C" __global__ void exclusive_scan_int(const int *in, int *out, int n) {
    scan<false>(in, out, n);
}
extern "C" __global__ void inclusive_scan_int(const int *in, int *out, int n) {
    scan<true>(in, out, n);
}
extern "C" __global__ void exclusive_scan_float(const float *in, float *out, int n) {
    scan<false>(in, out, n);
}
extern "C" __global__ void inclusive_scan_float(const float *in, float *out, int n) {
    scan<true>(in, out, n);
}
