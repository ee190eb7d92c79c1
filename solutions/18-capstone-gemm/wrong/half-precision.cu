//! fails: correct
//! why: a half keeps only 11 significant bits: tensor cores are fast with halves, but the result is
//! not the product of these matrices.

#include <cuda_fp16.h>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_ROWS, 128);
LAUNCH_CONSTANT(BLOCK_COLUMNS, 128);
LAUNCH_CONSTANT(DEPTH, 8);
LAUNCH_CONSTANT(THREADS, 256);
LAUNCH_CONSTANT(SHARED_BYTES, 0);

extern "C" __global__ void __launch_bounds__(THREADS)
    multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    constexpr int VECTOR = 4;
    constexpr int SIDE = 8;
    constexpr int ACROSS = BLOCK_COLUMNS / SIDE;
    constexpr int DOWN = BLOCK_ROWS / SIDE;
    static_assert(ACROSS * DOWN == THREADS, "one thread for each tile of sums");
    __shared__ __align__(16) float tile_a[DEPTH][BLOCK_ROWS + VECTOR];
    __shared__ __align__(16) float tile_b[DEPTH][BLOCK_COLUMNS];
    int thread = threadIdx.x;
    int top = blockIdx.y * BLOCK_ROWS;
    int left = blockIdx.x * BLOCK_COLUMNS;
    int row = thread / ACROSS * VECTOR;
    int column = thread % ACROSS * VECTOR;

    float sums[SIDE][SIDE] = {};
    for (int first = 0; first < k; first += DEPTH) {
#pragma unroll
        for (int index = thread; index < BLOCK_ROWS * DEPTH; index += THREADS) {
            int i = index % DEPTH;
            int y = index / DEPTH;
            bool there = top + y < m && first + i < k;
            tile_a[i][y] = there ? __half2float(__float2half(a[(top + y) * k + first + i])) : 0.0f;
        }
#pragma unroll
        for (int index = thread; index < DEPTH * BLOCK_COLUMNS; index += THREADS) {
            int i = index / BLOCK_COLUMNS;
            int x = index % BLOCK_COLUMNS;
            bool there = first + i < k && left + x < n;
            tile_b[i][x] = there ? b[(first + i) * n + left + x] : 0.0f;
        }
        __syncthreads();

#pragma unroll
        for (int i = 0; i < DEPTH; ++i) {
            float from_a[SIDE];
            float from_b[SIDE];
#pragma unroll
            for (int s = 0; s < SIDE; s += VECTOR) {
                *reinterpret_cast<float4 *>(&from_a[s]) =
                    *reinterpret_cast<const float4 *>(&tile_a[i][row + s * DOWN]);
                *reinterpret_cast<float4 *>(&from_b[s]) =
                    *reinterpret_cast<const float4 *>(&tile_b[i][column + s * ACROSS]);
            }
#pragma unroll
            for (int r = 0; r < SIDE; ++r) {
#pragma unroll
                for (int s = 0; s < SIDE; ++s) {
                    sums[r][s] = fmaf(from_a[r], from_b[s], sums[r][s]);
                }
            }
        }
        __syncthreads();
    }

#pragma unroll
    for (int r = 0; r < SIDE; ++r) {
#pragma unroll
        for (int s = 0; s < SIDE; ++s) {
            int y = top + row + r / VECTOR * VECTOR * DOWN + r % VECTOR;
            int x = left + column + s / VECTOR * VECTOR * ACROSS + s % VECTOR;
            if (y < m && x < n) {
                c[y * n + x] = sums[r][s];
            }
        }
    }
}
