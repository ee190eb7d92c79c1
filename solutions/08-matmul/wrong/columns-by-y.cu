//! fails: global_load_sectors, global_store_sectors, shared_bank_conflicts
//! may fail: speedup
//! why: with x as the row, neighbouring threads are a whole row apart, so every word takes a sector
//! of its own, and rows of 16 words put all lanes into two banks.

#include "course.cuh"

LAUNCH_CONSTANT(TILE, 16);

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int x = threadIdx.y;
    int y = threadIdx.x;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;

    float sum = 0.0f;
    for (int first = 0; first < k; first += TILE) {
        tile_a[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
        tile_b[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
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
