//! style: 96 threads and three items each: no power of two anywhere; functors and a struct for the pair.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 96);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 3);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;

// A thread's items, and the sum of all before them.
template <typename T> struct Run {
    T items[ITEMS_PER_THREAD];
    T sum;
    __device__ void read(const T *tile) {
        sum = 0;
        for (T &item : items) {
            item = *tile++;
            sum += item;
        }
    }
    template <bool INCLUSIVE> __device__ void write(T *tile, T before) const {
        for (const T &item : items) {
            T after = before + item;
            *tile++ = INCLUSIVE ? after : before;
            before = after;
        }
    }
};

template <bool INCLUSIVE, typename T>
__device__ __forceinline__ void scan_segment(const T *in, T *out, int count) {
    __shared__ T tile[SEGMENT];
    __shared__ T of_warp[BLOCK_SIZE / 32 + 1];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    for (int i = threadIdx.x; i < SEGMENT; i += BLOCK_SIZE) {
        tile[i] = i < count ? in[i] : T(0);
    }
    __syncthreads();
    Run<T> run;
    run.read(&tile[threadIdx.x * ITEMS_PER_THREAD]);
    T through = run.sum;
    for (int distance = 1; distance < 32; distance += distance) {
        const T left = __shfl_up_sync(0xffffffff, through, distance);
        if (lane >= distance) {
            through += left;
        }
    }
    const T of_left = __shfl_up_sync(0xffffffff, through, 1);
    if (lane == 31) {
        of_warp[warp] = through;
    }
    __syncthreads();
    T before = lane == 0 ? T(0) : of_left;
    T warps_before = 0;
    for (int other = 0; other < warp; ++other) {
        warps_before += of_warp[other];
    }
    run.template write<INCLUSIVE>(&tile[threadIdx.x * ITEMS_PER_THREAD], warps_before + before);
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += BLOCK_SIZE) {
        out[i] = tile[i];
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
