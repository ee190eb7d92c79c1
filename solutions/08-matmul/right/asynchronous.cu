//! style: two tiles in turn, filled by cuda::pipeline copies while the other two are multiplied.

#include <cuda/pipeline>

#include "course.cuh"

LAUNCH_CONSTANT(TILE, 32);

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float tile_a[2][TILE][TILE], tile_b[2][TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;
    auto pipeline = cuda::make_pipeline();

    auto fetch = [&](int first, int turn) {
        pipeline.producer_acquire();
        if (row < m && first + x < k) {
            cuda::memcpy_async(&tile_a[turn][y][x], &a[row * k + first + x], sizeof(float),
                               pipeline);
        } else {
            tile_a[turn][y][x] = 0.0f;
        }
        if (first + y < k && column < n) {
            cuda::memcpy_async(&tile_b[turn][y][x], &b[(first + y) * n + column], sizeof(float),
                               pipeline);
        } else {
            tile_b[turn][y][x] = 0.0f;
        }
        pipeline.producer_commit();
    };

    float sum = 0.0f;
    int turn = 0;
    fetch(0, turn);
    for (int first = 0; first < k; first += TILE) {
        pipeline.consumer_wait();
        __syncthreads();
        if (first + TILE < k) {
            fetch(first + TILE, 1 - turn);
        }
        for (int i = 0; i < TILE; ++i) {
            sum += tile_a[turn][y][i] * tile_b[turn][i][x];
        }
        pipeline.consumer_release();
        turn = 1 - turn;
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}
