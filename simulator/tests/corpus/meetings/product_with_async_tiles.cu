// A tiled product with two stages: the next pair of tiles is on its way by __pipeline_memcpy_async while this one is multiplied.
//@ run --entry product --grid 2,2 --block 8,8 --arg in:i32:16x32=iota --arg in:i32:32x16=ones --arg out:i32:16x16
//! clean
//! defect 1: race at fetch and multiply
//! defect 2: race at multiply and fetch
//! defect 3: out_of_bounds at fetch
//! defect 4: uninitialized_read|race at fetch|multiply|write; also=uninitialized_read,race
#include <cuda_pipeline.h>
extern "C" __global__ void product(const int* A, const int* B, int* C)
{
    __shared__ int a[2][8][8], b[2][8][8];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 8 + y, col = blockIdx.x * 8 + x, sum = 0;
    auto fetch = [&](int k) {
        __pipeline_memcpy_async(&a[k & 1][y][x], &A[row * 32 + k * 8 + x], 4); // <- fetch
        __pipeline_memcpy_async(&b[k & 1][y][x], &B[(k * 8 + y) * 16 + col], 4); // <- fetch
        __pipeline_commit();
    };
    fetch(0);
    for (int k = 0; k < 4; ++k) {
#if DEFECT == 3
        fetch(k + 1);
#else
        if (k < 3) fetch(k + 1);
#endif
#if DEFECT == 4
        __pipeline_wait_prior(2);
#else
        __pipeline_wait_prior(k < 3 ? 1 : 0);
#endif
#if DEFECT != 1
        __syncthreads();
#endif
        for (int j = 0; j < 8; ++j) sum += a[k & 1][y][j] * b[k & 1][j][x]; // <- multiply
#if DEFECT != 2
        __syncthreads();
#endif
    }
    C[row * 16 + col] = sum; // <- write
}
