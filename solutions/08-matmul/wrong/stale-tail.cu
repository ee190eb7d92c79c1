//! fails: correct, clean/uninitialized_read
//! why: a place that the guard skips keeps its value of the last round, which is added once more.

#include "course.cuh"

LAUNCH_CONSTANT(TILE, 16);

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;

    float sum = 0.0f;
    for (int first = 0; first < k; first += TILE) {
        if (row < m && first + x < k) {
            tile_a[y][x] = a[row * k + first + x];
        }
        if (first + y < k && column < n) {
            tile_b[y][x] = b[(first + y) * n + column];
        }
        __syncthreads();

        for (int i = 0; i < TILE; ++i) {
            sum = fmaf(tile_a[y][i], tile_b[i][x], sum);
        }
        __syncthreads();
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}
