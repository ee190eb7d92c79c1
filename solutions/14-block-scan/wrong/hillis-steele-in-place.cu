//! fails: correct, clean/race, shared_load_requests
//! why: in one array a thread may read its left neighbour's sum before or after that neighbour has
//! added.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 2);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;

template <bool INCLUSIVE, typename T>
__device__ __forceinline__ void scan_segment(const T *in, T *out, int count) {
    __shared__ T data[SEGMENT];
    int thread = threadIdx.x;
    for (int i = thread; i < SEGMENT; i += BLOCK_SIZE) {
        data[i] = i < count ? in[i] : 0;
    }
    for (int distance = 1; distance < SEGMENT; distance *= 2) {
        __syncthreads();
        for (int i = thread; i < SEGMENT; i += BLOCK_SIZE) {
            if (i >= distance) {
                data[i] += data[i - distance];
            }
        }
    }
    __syncthreads();
    for (int i = thread; i < count; i += BLOCK_SIZE) {
        if (INCLUSIVE) {
            out[i] = data[i];
        } else {
            out[i] = i > 0 ? data[i - 1] : 0;
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
