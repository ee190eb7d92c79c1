//! style: the pipeline primitives of cuda_pipeline.h, which fill zeros; three stages.

#include <cuda_pipeline.h>

#include "course.cuh"

LAUNCH_CONSTANT(TILE, 16);

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float tile_a[2][TILE][TILE], tile_b[2][TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;
    auto from_a = [&](int first) {
        return row < m && first + x < k ? a[row * k + first + x] : 0.0f;
    };
    auto from_b = [&](int first) {
        return first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
    };
    tile_a[0][y][x] = from_a(0);
    tile_b[0][y][x] = from_b(0);
    __syncthreads();
    float sum = 0.0f;
    int turn = 0;
    for (int first = 0; first < k; first += TILE) {
        bool more = first + TILE < k;
        float next_a = more ? from_a(first + TILE) : 0.0f;
        float next_b = more ? from_b(first + TILE) : 0.0f;
        for (int i = 0; i < TILE; ++i) {
            sum += tile_a[turn][y][i] * tile_b[turn][i][x];
        }
        turn = 1 - turn;
        tile_a[turn][y][x] = next_a;
        tile_b[turn][y][x] = next_b;
        __syncthreads();
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}

extern "C" __global__ void multiply_async(const float *a, const float *b, float *c, int m, int n,
                                          int k) {
    constexpr int STAGES = 3;
    __shared__ float tile_a[STAGES][TILE][TILE], tile_b[STAGES][TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;
    auto word = [](float *to, const float *from, bool there, const float *anywhere) {
        __pipeline_memcpy_async(to, there ? from : anywhere, sizeof(float),
                                there ? 0 : sizeof(float));
    };
    auto start = [&](int stage) {
        int first = stage * TILE;
        if (first < k) {
            int turn = stage % STAGES;
            word(&tile_a[turn][y][x], &a[row * k + first + x], row < m && first + x < k, a);
            word(&tile_b[turn][y][x], &b[(first + y) * n + column], first + y < k && column < n, b);
        }
        __pipeline_commit();
    };
    start(0);
    start(1);
    float sum = 0.0f;
    for (int stage = 0; stage * TILE < k; ++stage) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        start(stage + STAGES - 1);
#pragma unroll
        for (int i = 0; i < TILE; ++i) {
            sum += tile_a[stage % STAGES][y][i] * tile_b[stage % STAGES][i][x];
        }
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}
