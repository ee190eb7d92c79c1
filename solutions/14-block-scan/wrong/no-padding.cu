//! fails: shared_bank_conflicts
//! may fail: speedup
//! why: right and clean, but nodes 2, 4, 8, ... words apart share banks.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 2);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;

constexpr int BANKS = 32;
__device__ __forceinline__ int place(int i) { return i; }

template <bool INCLUSIVE, typename T>
__device__ __forceinline__ void scan_segment(const T *in, T *out, int count) {
    static_assert(ITEMS_PER_THREAD == 2, "one pair of elements for each thread");
    __shared__ T data[SEGMENT + SEGMENT / BANKS];
    int thread = threadIdx.x;

    T own[ITEMS_PER_THREAD];
    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        int i = item * BLOCK_SIZE + thread;
        own[item] = i < count ? in[i] : 0;
        data[place(i)] = own[item];
    }

    for (int distance = 1; distance < SEGMENT; distance *= 2) {
        __syncthreads();
        int right = 2 * distance * (thread + 1) - 1;
        if (right < SEGMENT) {
            data[place(right)] += data[place(right - distance)];
        }
    }

    if (thread == 0) {
        data[place(SEGMENT - 1)] = 0;
    }
    for (int distance = SEGMENT / 2; distance > 0; distance /= 2) {
        __syncthreads();
        int right = 2 * distance * (thread + 1) - 1;
        if (right < SEGMENT) {
            int left = right - distance;
            T left_sum = data[place(left)];
            T sum_before = data[place(right)];
            data[place(left)] = sum_before;
            data[place(right)] = sum_before + left_sum;
        }
    }
    __syncthreads();

    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        int i = item * BLOCK_SIZE + thread;
        if (i < count) {
            out[i] = INCLUSIVE ? data[place(i)] + own[item] : data[place(i)];
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
