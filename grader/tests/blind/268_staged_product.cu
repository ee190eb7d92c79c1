// Product of 48 × 64 and 64 × 32 integers, tiles of 16 × 16 copied asynchronously two steps ahead.
//@ run --entry product --grid 2,3 --block 16,16 --arg in:i32:48x64=iota --arg in:i32:64x32=iota
//@ run --arg out:i32:48x32 --arg i32:64 --arg i32:32
// save: 2
// reference: staged_product
#include <cuda_pipeline.h>

extern "C" __global__ void product(const int* a, const int* b, int* c, int inner, int columns)
{
    __shared__ int left[3][16][16], right[3][16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    int steps = inner / 16, sum = 0;
    auto fetch = [&](int k) {
        if (k < steps) {
            __pipeline_memcpy_async(&left[k % 3][y][x], &a[row * inner + 16 * k + x], 4);
            __pipeline_memcpy_async(&right[k % 3][y][x], &b[(16 * k + y) * columns + column], 4);
        }
        __pipeline_commit();
    };
    fetch(0);
    fetch(1);
    for (int k = 0; k < steps; ++k) {
        __pipeline_wait_prior(1);
        __syncthreads();
        fetch(k + 2);
        for (int j = 0; j < 16; ++j) sum += left[k % 3][y][j] * right[k % 3][j][x];
    }
    c[row * columns + column] = sum;
}
