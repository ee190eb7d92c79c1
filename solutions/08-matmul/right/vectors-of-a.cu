//! style: a row of the tile of a is read four words at a time, each sum by fmaf.

#include "course.cuh"

LAUNCH_CONSTANT(TILE, 32);

constexpr int VECTOR = 4;

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ __align__(16) float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int first = 0; first < k; first += TILE) {
        tile_a[y][x] =
            row < m && first + x < k ? a[static_cast<size_t>(row) * k + first + x] : 0.0f;
        tile_b[y][x] =
            first + y < k && column < n ? b[static_cast<size_t>(first + y) * n + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i += VECTOR) {
            float4 from_a = *reinterpret_cast<const float4 *>(&tile_a[y][i]);
            sum = fmaf(from_a.x, tile_b[i + 0][x], sum);
            sum = fmaf(from_a.y, tile_b[i + 1][x], sum);
            sum = fmaf(from_a.z, tile_b[i + 2][x], sum);
            sum = fmaf(from_a.w, tile_b[i + 3][x], sum);
        }
        __syncthreads();
    }
    if (row < m && column < n) {
        c[static_cast<size_t>(row) * n + column] = sum;
    }
}
