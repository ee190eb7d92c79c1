// 14-block-scan: running sums within a block.
//
// Task
//   Each block scans its own segment of BLOCK_SIZE * ITEMS_PER_THREAD neighbouring elements. The
//   exclusive scan leaves in place i the sum of all elements of the segment before i (the first is
//   0), the inclusive scan also adds element i.
//
// Given
//   Four kernels, exclusive and inclusive, for int and float, all made from your scan_segment. It
//   gets the segment's first element in `in`, its place in `out`, and how many elements there are:
//   all of SEGMENT, or fewer in the last block; none at all in the only block of an empty input.
//
// Write
//   The work-efficient scan (Blelloch): sums up a tree in shared memory, then prefixes down the
//   same tree. It adds about 2 * SEGMENT times; the simpler scan (Hillis and Steele) adds SEGMENT *
//   log2(SEGMENT) times. The first pair of marks is for what you need outside the function, such as
//   where element i lies in shared memory.
//
// Rules
//   Integers exactly; floats as precisely as adding in any order allows, and a sum that was added
//   is not taken off again. Each sector of global memory is read once, or written once. The tree's
//   nodes lie powers of two apart: without bank conflicts they need a place other than their index.
//   Another scan may do as well, if it asks for no more of shared memory: five loads for each warp
//   with a pair at each distance, and one for each 32 elements; one more turn at the banks for each
//   32 elements on their way into a padded tile, and on their way out.
//   Lanes that hand each other values (chapter 10): eight exchanges for each 32 elements at most.
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
// <<<

template <bool INCLUSIVE, typename T>
__device__ __forceinline__ void scan_segment(const T *in, T *out, int count) {
    // >>> your code: the running sums of in[0 .. count) go to out[0 .. count)
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
