//@ run --entry stages --grid 1 --block 64 --arg in:i32:256=iota --arg out:i32:64
// Double buffering that waits for one group too few: the tile that is used may still be on its way.
#include <cuda_pipeline.h>

extern "C" __global__ void stages(const int* in, int* out)
{
    __shared__ int tile[2][64];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&tile[0][t], &in[t], 4);
    __pipeline_commit();
    for (int k = 0; k < 4; ++k) {
        if (k < 3) __pipeline_memcpy_async(&tile[(k + 1) % 2][t], &in[64 * (k + 1) + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        sum += tile[k % 2][63 - t];
        __syncthreads();
    }
    out[t] = sum;
}
