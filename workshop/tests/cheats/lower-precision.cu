// family: lower precision
// exercise: 08-matmul
// defence: tolerance
// says: expected
//
// Adds up with fewer bits, which could be faster.

#include "course.cuh"

// The side of a tile, yours to choose: a multiple of 8 from 8 to 32.
LAUNCH_CONSTANT(TILE, 16);

// Ten bits of a number's 23, as half has them.
__device__ float short_float(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000u); }

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;

    // One rounding per multiply-add, in a register: shared memory holds only what threads have to share.
    float sum = 0.0f;
    for (int first = 0; first < k; first += TILE) {
        // Each thread loads one element of each tile, neighbours side by side; zeros add nothing to a sum.
        tile_a[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
        tile_b[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
        __syncthreads(); // What the others loaded is there.

        for (int i = 0; i < TILE; ++i) {
            sum = short_float(sum + tile_a[y][i] * tile_b[i][x]);
        }
        __syncthreads(); // The others have read it; it may be overwritten.
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}
