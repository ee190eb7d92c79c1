//! fails: correct, clean/barrier_divergence, clean/uninitialized_read
//! why: threads beyond the edge skip the loads and the barrier after them, where the other threads
//! wait.

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
        if (row < m && column < n) {
            tile_a[y][x] = first + x < k ? a[row * k + first + x] : 0.0f;
            tile_b[y][x] = first + y < k ? b[(first + y) * n + column] : 0.0f;
            __syncthreads();
            for (int i = 0; i < TILE; ++i) {
                sum = fmaf(tile_a[y][i], tile_b[i][x], sum);
            }
        }
        __syncthreads();
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}
