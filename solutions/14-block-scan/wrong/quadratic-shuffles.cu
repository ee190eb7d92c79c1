//! fails: exchange_requests
//! may fail: speedup
//! why: right, but every lane asks all other lanes: 32 exchanges, where five with doubling
//! distances would do.

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 32 to 1024 (powers of two make a tidy
// tree), and elements for each thread, from 1 to 8.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 1);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;

// One word of padding follows every 32, so that nodes a power of two apart fall into different
// banks.
constexpr int BANKS = 32;
__device__ __forceinline__ int place(int i) { return i + i / BANKS; }

constexpr int LANES = 32;

// The sum of the values of this lane and the lanes before it, asked for one lane after the other.
template <typename T> __device__ __forceinline__ T scan_warp(T value, int lane) {
    T sum = 0;
    for (int other = 0; other < LANES; ++other) {
        T theirs = __shfl_sync(0xffffffff, value, other);
        sum += other <= lane ? theirs : 0;
    }
    return sum;
}

// The sum of the lane before this one. Subtracting a lane's own value from its sum would round:
// after 1e8 nothing is left of a sum of small floats.
template <typename T> __device__ __forceinline__ T left_neighbours(T value, int lane) {
    T left = __shfl_up_sync(0xffffffff, value, 1);
    return lane > 0 ? left : 0;
}

template <bool INCLUSIVE, typename T>
__device__ __forceinline__ void scan_segment(const T *in, T *out, int count) {
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
    T up_to_here = scan_warp(total, lane);
    if (lane == LANES - 1) {
        warp_sums[warp] = up_to_here;
    }
    T before = left_neighbours(up_to_here, lane);
    __syncthreads();
    if (warp == 0) {
        T up_to_warp = scan_warp(lane < WARPS ? warp_sums[lane] : 0, lane);
        T before_warp = left_neighbours(up_to_warp, lane);
        if (lane < WARPS) {
            warp_sums[lane] = before_warp;
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
