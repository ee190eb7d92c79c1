//! fails: shared_load_requests
//! why: for comparison: this scan adds far more often than the tree.
// Step 1: the scan of Hillis and Steele has few rounds, and every element takes part in each round.
// It has two arrays, so that no thread reads what another is just changing.

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 32 to 1024 (powers of two make a tidy
// tree), and elements for each thread, from 1 to 8.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 2);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;

template <bool INCLUSIVE, typename T>
__device__ __forceinline__ void scan_segment(const T *in, T *out, int count) {
    __shared__ T data[2][SEGMENT];
    int thread = threadIdx.x;
    int from = 0;
    for (int i = thread; i < SEGMENT; i += BLOCK_SIZE) {
        data[0][i] = i < count ? in[i] : 0;
    }
    // Each round adds the element `distance` to the left, from one array into the other.
    for (int distance = 1; distance < SEGMENT; distance *= 2) {
        __syncthreads();
        for (int i = thread; i < SEGMENT; i += BLOCK_SIZE) {
            T sum = data[from][i];
            if (i >= distance) {
                sum += data[from][i - distance];
            }
            data[1 - from][i] = sum;
        }
        from = 1 - from;
    }
    __syncthreads();
    for (int i = thread; i < count; i += BLOCK_SIZE) {
        if (INCLUSIVE) {
            out[i] = data[from][i];
        } else {
            out[i] = i > 0 ? data[from][i - 1] : 0;
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
