// A vertical stencil that keeps four rows in a ring in shared memory: one is fetched by asynchronous copies while three are read; columns beyond the edge are filled with zeros.
//@ run --entry blur --grid 1 --block 32 --arg in:i32:28x10=iota --arg out:i32:28x8 --arg i32:28
//! clean
//! defect 1: race at fetch and read
//! defect 2: race at fetch and read
//! defect 3: out_of_bounds at fetch
#include <cuda_pipeline.h>
extern "C" __global__ void blur(const int* in, int* out, int width)
{
#if DEFECT == 2
    constexpr int RING = 3;
#else
    constexpr int RING = 4;
#endif
    __shared__ int rows[RING][34];
    int t = threadIdx.x;
    if (t < RING) rows[t][0] = rows[t][33] = 0;
    auto fetch = [&](int row) {
#if DEFECT == 3
        __pipeline_memcpy_async(&rows[row % RING][t + 1], &in[row * width + t], 4); // <- fetch
#else
        __pipeline_memcpy_async(&rows[row % RING][t + 1], &in[row * width + min(t, width - 1)], 4, t < width ? 0 : 4); // <- fetch
#endif
        __pipeline_commit();
    };
    for (int row = 0; row < 3; ++row) fetch(row);
    for (int row = 0; row < 8; ++row) {
        if (row + 3 < 10) fetch(row + 3);
        else __pipeline_commit();
#if DEFECT == 1
        __pipeline_wait_prior(3);
#else
        __pipeline_wait_prior(1);
#endif
        __syncthreads();
        int sum = 0;
        for (int d = 0; d < 3; ++d)
            for (int x = 0; x < 3; ++x) sum += rows[(row + d) % RING][t + x]; // <- read
        if (t < width) out[row * width + t] = sum;
        __syncthreads();
    }
}
