//! fails: correct, shared_bank_conflicts
//! why: tile_b[x][i] is row x of the tile, so the kernel multiplies by the transpose of every tile.
//! 16 lanes read words 16 apart, which lie in two banks.

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
        tile_a[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
        tile_b[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
        __syncthreads();

        for (int i = 0; i < TILE; ++i) {
            sum = fmaf(tile_a[y][i], tile_b[x][i], sum);
        }
        __syncthreads();
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}
