//! style: a block of one warp, one element a lane: a tree of the hints with __syncwarp.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 32);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 1);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;

__device__ constexpr int place(int i) { return i + i / 32; }

template <bool INCLUSIVE, typename T>
__device__ __forceinline__ void scan_segment(const T *in, T *out, int count) {
    __shared__ T tree[place(SEGMENT)];
    int thread = threadIdx.x;
    T mine = thread < count ? in[thread] : T(0);
    tree[place(thread)] = mine;
    for (int distance = 1; distance < SEGMENT; distance *= 2) {
        __syncwarp();
        int right = 2 * distance * (thread + 1) - 1;
        if (right < SEGMENT) {
            tree[place(right)] += tree[place(right - distance)];
        }
    }
    __syncwarp();
    if (thread == 0) {
        tree[place(SEGMENT - 1)] = 0;
    }
    for (int distance = SEGMENT / 2; distance > 0; distance /= 2) {
        __syncwarp();
        int right = 2 * distance * (thread + 1) - 1;
        if (right < SEGMENT) {
            T left = tree[place(right - distance)];
            tree[place(right - distance)] = tree[place(right)];
            tree[place(right)] += left;
        }
    }
    __syncwarp();
    if (thread < count) {
        out[thread] = tree[place(thread)] + (INCLUSIVE ? mine : T(0));
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
