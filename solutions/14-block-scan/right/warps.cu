//! style: scans of a warp by shuffles; a thread's neighbours come and go through a padded tile.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 1024);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 8);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;

constexpr int WARP = 32;
constexpr int WARPS = BLOCK_SIZE / WARP;

// An odd distance between threads' items keeps them in different banks.
__device__ constexpr int place(int i) { return i + i / ITEMS_PER_THREAD; }

template <typename T> __device__ T inclusive_of_warp(T value) {
    int lane = threadIdx.x % WARP;
#pragma unroll
    for (int distance = 1; distance < WARP; distance *= 2) {
        T left = __shfl_up_sync(0xffffffff, value, distance);
        value += lane >= distance ? left : T(0);
    }
    return value;
}

// The sum of all lanes before this one, found without subtracting.
template <typename T> __device__ T before_lane(T inclusive) {
    T left = __shfl_up_sync(0xffffffff, inclusive, 1);
    return threadIdx.x % WARP == 0 ? T(0) : left;
}

template <bool INCLUSIVE, typename T>
__device__ __forceinline__ void scan_segment(const T *in, T *out, int count) {
    __shared__ T tile[SEGMENT + BLOCK_SIZE];
    __shared__ T of_warp[WARPS];
    int thread = threadIdx.x;
    for (int i = thread; i < SEGMENT; i += BLOCK_SIZE) {
        tile[place(i)] = i < count ? in[i] : T(0);
    }
    __syncthreads();

    T items[ITEMS_PER_THREAD];
    T sum = 0;
#pragma unroll
    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        items[item] = tile[place(thread * ITEMS_PER_THREAD + item)];
        sum += items[item];
    }
    T inclusive = inclusive_of_warp(sum);
    T before = before_lane(inclusive);
    if (thread % WARP == WARP - 1) {
        of_warp[thread / WARP] = inclusive;
    }
    __syncthreads();
    if (thread < WARP) {
        T scanned = inclusive_of_warp(thread < WARPS ? of_warp[thread] : T(0));
        T others = before_lane(scanned);
        if (thread < WARPS) {
            of_warp[thread] = others;
        }
    }
    __syncthreads();
    T running = of_warp[thread / WARP] + before;
#pragma unroll
    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        T next = running + items[item];
        tile[place(thread * ITEMS_PER_THREAD + item)] = INCLUSIVE ? next : running;
        running = next;
    }
    __syncthreads();
    for (int i = thread; i < count; i += BLOCK_SIZE) {
        out[i] = tile[place(i)];
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
