// Baseline of 18-capstone-gemm: the tiled kernel of 08-matmul, with two reads of shared memory for
// each multiply-add.

#include "course.cuh"

LAUNCH_CONSTANT(TILE, 32);

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;

    // The sum stays in a register, and each multiply-add rounds once: shared memory holds only what
    // threads have to share.
    float sum = 0.0f;
    for (int first = 0; first < k; first += TILE) {
        // Each thread loads one element of each tile, and neighbouring threads load neighbours.
        // Zeros add nothing to a sum.
        tile_a[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
        tile_b[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
        __syncthreads(); // What the others loaded is there.

        for (int i = 0; i < TILE; ++i) {
            sum = fmaf(tile_a[y][i], tile_b[i][x], sum);
        }
        __syncthreads(); // The others have read the tiles: they may be overwritten.
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}
