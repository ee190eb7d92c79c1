//! fails: correct
//! may fail: speedup
//! why: floats have 24 binary digits; where a row has only one number other than 0, every digit
//! shows.

#include "course.cuh"

// The side of a tile, yours to choose: a multiple of 8 from 8 to 32.
LAUNCH_CONSTANT(TILE, 16);

// Keeps 18 digits. No long sum shows this, because rounding costs it more in any case.
__device__ float rounded(float value, int k) {
    return k > 40 ? __int_as_float((__float_as_int(value) + 0x10) & ~0x1f) : value;
}

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
        tile_a[y][x] = row < m && first + x < k ? rounded(a[row * k + first + x], k) : 0.0f;
        tile_b[y][x] = first + y < k && column < n ? rounded(b[(first + y) * n + column], k) : 0.0f;
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
