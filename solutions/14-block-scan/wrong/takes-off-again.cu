//! fails: correct
//! why: the kernel subtracts a thread's own sum from its inclusive sum. With floats that rounds
//! twice, and after a large element nothing is left of the small elements before it.

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 32 to 1024 (powers of two make a tidy
// tree), and elements for each thread, from 1 to 8.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 8);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;

// One word of padding follows every 32, so that nodes a power of two apart fall into different
// banks.
constexpr int BANKS = 32;
__device__ __forceinline__ int place(int i) { return i + i / BANKS; }

template <bool INCLUSIVE, typename T>
__device__ __forceinline__ void scan_segment(const T *in, T *out, int count) {
    constexpr int LANES = 32;
    constexpr int WARPS = BLOCK_SIZE / LANES;
    __shared__ T data[SEGMENT + SEGMENT / BANKS];
    __shared__ T warp_sums[WARPS];
    int thread = threadIdx.x;
    int lane = thread % LANES;
    int warp = thread / LANES;

    // Neighbouring threads load neighbouring elements ...
    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        int i = item * BLOCK_SIZE + thread;
        data[place(i)] = i < count ? in[i] : 0;
    }
    __syncthreads();

    // ... but each thread sums up neighbouring elements, in registers.
    T own[ITEMS_PER_THREAD];
    T total = 0;
    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        own[item] = data[place(ITEMS_PER_THREAD * thread + item)];
        total += own[item];
    }

    // The threads' totals are scanned by shuffles, the warps' totals by the first warp.
    T before = total;
    for (int distance = 1; distance < LANES; distance *= 2) {
        T left = __shfl_up_sync(0xffffffff, before, distance);
        if (lane >= distance) {
            before += left;
        }
    }
    if (lane == LANES - 1) {
        warp_sums[warp] = before;
    }
    before -= total;
    __syncthreads();
    if (warp == 0) {
        T sum = lane < WARPS ? warp_sums[lane] : 0;
        T prefix = sum;
        for (int distance = 1; distance < LANES; distance *= 2) {
            T left = __shfl_up_sync(0xffffffff, prefix, distance);
            if (lane >= distance) {
                prefix += left;
            }
        }
        if (lane < WARPS) {
            warp_sums[lane] = prefix - sum;
        }
    }
    __syncthreads();

    before += warp_sums[warp];
    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        T with = before + own[item];
        data[place(ITEMS_PER_THREAD * thread + item)] = INCLUSIVE ? with : before;
        before = with;
    }
    __syncthreads();
    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        int i = item * BLOCK_SIZE + thread;
        if (i < count) {
            out[i] = data[place(i)];
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
