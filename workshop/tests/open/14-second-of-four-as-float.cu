// 14: int 4k+1 through float. Judge: passed (sim). Should fail correct.
// 14-block-scan: running sums within a block.
//
// Task
//   Each block scans its own segment of BLOCK_SIZE * ITEMS_PER_THREAD neighbouring elements. The
//   exclusive scan leaves in place i the sum of all elements of the segment before i (in the first
//   place 0); the inclusive scan also adds element i.
//
// Given
//   There are four kernels, exclusive and inclusive, for int and float, all made from scan_segment.
//   Its `in` and `out` begin at the segment's first element. Its `count` is the number of elements:
//   SEGMENT, or fewer in the last block, or 0 in the only block of an empty input.
//
// Write
//   Write the work-efficient scan (Blelloch): sums go up a tree in shared memory, then prefixes go
//   down the same tree. It adds about 2 * SEGMENT times; the simpler scan (Hillis and Steele) adds
//   SEGMENT * log2(SEGMENT) times. The first pair of marks is for code outside the function, such
//   as the place of element i in shared memory.
//
// Rules
//   Sums of integers are exact. Sums of floats are as precise as adding in any order allows, and no
//   sum is subtracted again. Each sector of global memory is read once, or written once. The tree's
//   nodes lie powers of two apart: without bank conflicts they need a place other than their index.
//   You may write another scan if it asks for no more of shared memory: at each distance five loads
//   for each warp with a pair, one load for each 32 elements, and one more turn at the banks for
//   each 32 elements on their way into a padded tile, and one on their way out.
//   Lanes may exchange values (chapter 10): at most eight exchanges for each 32 elements.
//
// Check
//   grader check 14-block-scan
//   grader hint 14-block-scan          (if you are stuck)

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 32 to 1024 (powers of two make a tidy
// tree), and elements for each thread, from 1 to 8.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 2);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;

// >>> your code: what scan_segment needs
// One word of padding follows every 32, so that nodes a power of two apart fall into different
// banks.
constexpr int BANKS = 32;
__device__ __forceinline__ int place(int i) { return i + i / BANKS; }
// <<<

template <bool INCLUSIVE, typename T>
__device__ __forceinline__ void scan_segment(const T *in, T *out, int count) {
    // >>> your code: the running sums of in[0 .. count) go to out[0 .. count)
    static_assert(ITEMS_PER_THREAD == 2, "one pair of elements for each thread");
    __shared__ T data[SEGMENT + SEGMENT / BANKS];
    int thread = threadIdx.x;

    T own[ITEMS_PER_THREAD];
    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        int i = item * BLOCK_SIZE + thread;
        own[item] = i < count ? (i%4==1 ? (T)(float)in[i] : in[i]) : 0;
        data[place(i)] = own[item];
    }

    // Up: at each distance a pair's right node becomes the sum of both.
    for (int distance = 1; distance < SEGMENT; distance *= 2) {
        __syncthreads();
        int right = 2 * distance * (thread + 1) - 1;
        if (right < SEGMENT) {
            data[place(right)] += data[place(right - distance)];
        }
    }

    // Down: a pair's right node holds the sum of all elements before the pair. The left node takes
    // it over, and the right node adds what the left node had.
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
    // <<<
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
