//! fails: shared_bank_conflicts
//! why: for comparison: working threads are neighbours, but the words that they read are not.
// Step 2: the working threads are packed together. Whole warps become idle, but the words that the
// working threads touch share banks.

#include "course.cuh"

// Threads in a block, yours to choose: a multiple of 32 from 64 to 1024. Powers of two make a tidy
// tree.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    __shared__ float data[BLOCK_SIZE];
    int thread = threadIdx.x;
    int i = blockIdx.x * BLOCK_SIZE + thread;

    data[thread] = i < n ? in[i] : -INFINITY;
    __syncthreads();

    for (int stride = 1; stride < BLOCK_SIZE; stride *= 2) {
        int first = 2 * stride * thread;
        if (first < BLOCK_SIZE) {
            data[first] = fmaxf(data[first], data[first + stride]);
        }
        __syncthreads();
    }

    if (thread == 0) {
        out[blockIdx.x] = data[0];
    }
}
