//! style: a block of one warp: 32 x 64 elements, 8 x 8 in each lane.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_ROWS, 32);
LAUNCH_CONSTANT(BLOCK_COLUMNS, 64);
LAUNCH_CONSTANT(DEPTH, 8);
LAUNCH_CONSTANT(THREADS, 32);
LAUNCH_CONSTANT(SHARED_BYTES, 0);

constexpr int VECTOR = 4;
// A thread's sums: 8 rows of 8, in squares of 4 x 4 that lie a part of the block apart.
constexpr int ROWS = 8;
constexpr int COLUMNS = 8;
constexpr int ACROSS = BLOCK_COLUMNS / COLUMNS * VECTOR;
constexpr int DOWN = BLOCK_ROWS / ROWS * VECTOR;
static_assert(BLOCK_ROWS / ROWS * (BLOCK_COLUMNS / COLUMNS) == THREADS);
// A turned tile's rows: 4 words more keep 8 words along k of 4 rows in different banks.
constexpr int PITCH = BLOCK_ROWS + VECTOR;

extern "C" __global__ void __launch_bounds__(THREADS)
    multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ __align__(16) float tile_a[DEPTH][PITCH];
    __shared__ __align__(16) float tile_b[DEPTH][BLOCK_COLUMNS];
    int x = threadIdx.x % (BLOCK_COLUMNS / COLUMNS);
    int y = threadIdx.x / (BLOCK_COLUMNS / COLUMNS);
    int top = blockIdx.y * BLOCK_ROWS;
    int left = blockIdx.x * BLOCK_COLUMNS;
    float sums[ROWS][COLUMNS] = {};
    for (int first = 0; first < k; first += DEPTH) {
        for (int i = threadIdx.x; i < BLOCK_ROWS * DEPTH; i += THREADS) {
            // Eight neighbours along k of one row after the other, in steps of eight columns.
            int column = i % 8 + i / 8 / BLOCK_ROWS * 8;
            int row = i / 8 % BLOCK_ROWS;
            bool there = top + row < m && first + column < k;
            tile_a[column][row] =
                there ? a[static_cast<size_t>(top + row) * k + first + column] : 0.0f;
        }
        for (int i = threadIdx.x; i < BLOCK_COLUMNS * DEPTH; i += THREADS) {
            int row = i / BLOCK_COLUMNS;
            int column = i % BLOCK_COLUMNS;
            bool there = first + row < k && left + column < n;
            tile_b[row][column] =
                there ? b[static_cast<size_t>(first + row) * n + left + column] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEPTH; ++i) {
            float from_a[ROWS], from_b[COLUMNS];
#pragma unroll
            for (int r = 0; r < ROWS; r += VECTOR) {
                *reinterpret_cast<float4 *>(&from_a[r]) =
                    *reinterpret_cast<const float4 *>(&tile_a[i][VECTOR * y + r / VECTOR * DOWN]);
            }
#pragma unroll
            for (int s = 0; s < COLUMNS; s += VECTOR) {
                *reinterpret_cast<float4 *>(&from_b[s]) =
                    *reinterpret_cast<const float4 *>(&tile_b[i][VECTOR * x + s / VECTOR * ACROSS]);
            }
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
#pragma unroll
                for (int s = 0; s < COLUMNS; ++s) {
                    sums[r][s] += from_a[r] * from_b[s];
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        int row = top + VECTOR * y + r / VECTOR * DOWN + r % VECTOR;
#pragma unroll
        for (int s = 0; s < COLUMNS; ++s) {
            int column = left + VECTOR * x + s / VECTOR * ACROSS + s % VECTOR;
            if (row < m && column < n) {
                c[static_cast<size_t>(row) * n + column] = sums[r][s];
            }
        }
    }
}
