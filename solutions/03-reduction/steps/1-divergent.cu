//! fails: shared_load_requests
//! why: for comparison: working threads are spread over all warps, so that all of them read in every round.
// Step 1: the tree combines interleaved pairs. It is right and clean, but half or more of the lanes
// of every warp idle from the first round on.

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
        if (thread % (2 * stride) == 0) {
            data[thread] = fmaxf(data[thread], data[thread + stride]);
        }
        __syncthreads();
    }

    if (thread == 0) {
        out[blockIdx.x] = data[0];
    }
}
