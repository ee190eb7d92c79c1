// 03-reduction: the largest of n floats.
//
// Task
//   Each block finds the maximum of its own BLOCK_SIZE neighbouring elements of `in` and writes it
//   to out[blockIdx.x]. The host launches your kernel again over those results, and again, until
//   one is left.
//
// Given
//   The host launches ceil(n / BLOCK_SIZE) blocks of BLOCK_SIZE threads. The last block may have
//   more threads than elements. `in` holds exactly n floats, `out` one for each block.
//
// Write
//   Between the marks: every thread loads one element into shared memory. Then, in rounds, half as
//   many threads each take the larger of two values, until one thread holds the block's maximum.
//
// Rules
//   NaN is not a number and never the maximum: fmaxf(x, NaN) is x. (No input has only NaN.)
//   Infinities are numbers like any other: if all elements are -INFINITY, so is the maximum. Each
//   sector of global memory is read once. There are no bank conflicts, and a warp with nothing left
//   to do reads no shared memory. An atomic counts as a load and a store, lane after lane. Lanes
//   may exchange values six times for each warp, and six times for the block.
//
// Check
//   grader check 03-reduction
//   grader hint 03-reduction           (if you are stuck)

#include "course.cuh"

// Threads in a block, yours to choose: a multiple of 32 from 64 to 1024. Powers of two make a tidy
// tree.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    // >>> your code: the maximum of this block's elements goes to out[blockIdx.x]
    __shared__ float data[BLOCK_SIZE];
    int thread = threadIdx.x;
    int i = blockIdx.x * BLOCK_SIZE + thread;

    data[thread] = i < n ? in[i] : -INFINITY;
    __syncthreads();

    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            data[thread] = fmaxf(data[thread], data[thread + stride]);
        }
        __syncthreads();
    }

    if (thread == 0) {
        out[blockIdx.x] = data[0];
    }
    // <<<
}
