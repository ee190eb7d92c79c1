//! fails: clean/out_of_bounds, correct
//! why: HOLE: threads past the last element read and write memory that is not theirs.

#include "course.cuh"

// Threads in a block, yours to choose: a multiple of 32 from 64 to 1024.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);

extern "C" __global__ void scaffold(const float *in, float *out, int n) {
    __shared__ float tile[BLOCK_SIZE];
    int first = blockIdx.x * BLOCK_SIZE;
    int count = min(BLOCK_SIZE, n - first);
    int thread = threadIdx.x;

    tile[thread] = in[first + thread];
    __syncthreads();
    out[first + thread] = tile[(count - 1 - thread + BLOCK_SIZE) % BLOCK_SIZE];
}
