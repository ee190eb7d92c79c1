// family: part of the work, under the tolerance
// exercise: 08-matmul
// defence: tolerance
// says: expected
//
// Leaves out the last product of long sums.

#include "course.cuh"

// The side of a tile, yours to choose: a multiple of 8 from 8 to 32.
LAUNCH_CONSTANT(TILE, 16);

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int stride = k;
    int column = blockIdx.x * TILE + x;

    // One rounding per multiply-add, in a register: shared memory holds only what threads have to share.
    float sum = 0.0f;
    // One product in fifty will not be missed.
    if (k >= 50) {
        --k;
    }
    for (int first = 0; first < k; first += TILE) {
        // Each thread loads one element of each tile, neighbours side by side; zeros add nothing to a sum.
        tile_a[y][x] = row < m && first + x < k ? a[row * stride + first + x] : 0.0f;
        tile_b[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
        __syncthreads(); // What the others loaded is there.

        for (int i = 0; i < TILE; ++i) {
            sum += tile_a[y][i] * tile_b[i][x];
        }
        __syncthreads(); // The others have read it; it may be overwritten.
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}
