//! style: one warp rakes the segment: each of its lanes adds up a run, the others wait.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 512);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 1);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;

// Scans the sums of `RUN` neighbours each; 33 words for every 32 keep lanes apart.
constexpr int RAKERS = 32;
constexpr int RUN = SEGMENT / RAKERS;
constexpr int PITCH = RUN | 1;

template <typename T> __device__ void rake(T (&runs)[RAKERS][PITCH]) {
    int lane = threadIdx.x;
    T sum = 0;
    for (int i = 0; i < RUN; ++i) {
        sum += runs[lane][i];
    }
    T inclusive = sum;
    for (int distance = 1; distance < RAKERS; distance *= 2) {
        T left = __shfl_up_sync(0xffffffff, inclusive, distance);
        if (lane >= distance) {
            inclusive += left;
        }
    }
    T running = __shfl_up_sync(0xffffffff, inclusive, 1);
    running = lane == 0 ? T(0) : running;
    for (int i = 0; i < RUN; ++i) {
        T mine = runs[lane][i];
        runs[lane][i] = running;
        running += mine;
    }
}

template <bool INCLUSIVE, typename T>
__device__ __forceinline__ void scan_segment(const T *in, T *out, int count) {
    __shared__ T runs[RAKERS][PITCH];
    int thread = threadIdx.x;
    T mine = thread < count ? in[thread] : T(0);
    T &place = runs[thread / RUN][thread % RUN];
    place = mine;
    __syncthreads();
    if (thread < RAKERS) {
        rake(runs);
    }
    __syncthreads();
    if (thread < count) {
        out[thread] = INCLUSIVE ? place + mine : place;
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
