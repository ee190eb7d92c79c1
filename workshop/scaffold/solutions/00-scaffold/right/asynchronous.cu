//! style: HOLE: an asynchronous copy into the tile.

#include <cuda_pipeline.h>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 128);

extern "C" __global__ void scaffold(const float *in, float *out, int n) {
    __shared__ float tile[BLOCK_SIZE];
    int first = blockIdx.x * BLOCK_SIZE;
    int count = min(BLOCK_SIZE, n - first);
    int thread = threadIdx.x;
    if (thread < count) {
        __pipeline_memcpy_async(&tile[thread], &in[first + thread], sizeof(float));
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (thread < count) {
        out[first + thread] = tile[count - 1 - thread];
    }
}
