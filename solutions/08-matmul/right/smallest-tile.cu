//! style: the smallest tile, 8 x 8, so that a warp holds four of its rows; sums in double precision.

#include "course.cuh"

LAUNCH_CONSTANT(TILE, 8);

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;
    double sum = 0.0;
    for (int first = 0; first < k; first += TILE) {
        tile_a[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
        tile_b[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; ++i) {
            sum += static_cast<double>(tile_a[y][i]) * tile_b[i][x];
        }
        __syncthreads();
    }
    if (row < m && column < n) {
        c[row * n + column] = static_cast<float>(sum);
    }
}
