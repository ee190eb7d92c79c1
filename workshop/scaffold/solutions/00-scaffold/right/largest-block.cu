//! style: HOLE: the largest block that is allowed.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 1024);

extern "C" __global__ void scaffold(const float *in, float *out, int n) {
    __shared__ float tile[BLOCK_SIZE];
    int first = blockIdx.x * BLOCK_SIZE;
    int count = min(BLOCK_SIZE, n - first);
    int thread = threadIdx.x;
    if (thread < count) {
        tile[thread] = in[first + thread];
    }
    __syncthreads();
    if (thread < count) {
        out[first + thread] = tile[count - 1 - thread];
    }
}
