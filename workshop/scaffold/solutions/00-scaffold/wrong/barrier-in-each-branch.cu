//! fails: clean/barrier_divergence
//! may fail: correct
//! why: HOLE: the two branches have a barrier each, and threads of one block wait at different
//! ones.

#include "course.cuh"

// Threads in a block, yours to choose: a multiple of 32 from 64 to 1024.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);

extern "C" __global__ void scaffold(const float *in, float *out, int n) {
    __shared__ float tile[BLOCK_SIZE];
    int first = blockIdx.x * BLOCK_SIZE;
    int count = min(BLOCK_SIZE, n - first);
    int thread = threadIdx.x;

    if (thread < count) {
        tile[thread] = in[first + thread];
        __syncthreads();
        out[first + thread] = tile[count - 1 - thread];
    } else {
        __syncthreads();
    }
}
