// Step 3: pointers move along k, instead of addresses that are computed anew for each element.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_ROWS, 128);
LAUNCH_CONSTANT(BLOCK_COLUMNS, 128);
LAUNCH_CONSTANT(DEPTH, 8);
LAUNCH_CONSTANT(THREADS, 256);
LAUNCH_CONSTANT(SHARED_BYTES, 0);

constexpr int THREAD_ROWS = 8;
constexpr int THREAD_COLUMNS = 8;

constexpr int VECTOR = 4;
constexpr int ACROSS = BLOCK_COLUMNS / THREAD_COLUMNS;
constexpr int DOWN = BLOCK_ROWS / THREAD_ROWS;
static_assert(ACROSS * DOWN == THREADS, "one thread for each tile of sums");

extern "C" __global__ void __launch_bounds__(THREADS)
    multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    // a's tile is turned round, so that a thread's rows lie side by side; four words of padding
    // keep the words that a warp stores, 8 along k by 4 rows, in 32 different banks.
    __shared__ __align__(16) float tile_a[DEPTH][BLOCK_ROWS + VECTOR];
    __shared__ __align__(16) float tile_b[DEPTH][BLOCK_COLUMNS];
    int thread = threadIdx.x;
    int top = blockIdx.y * BLOCK_ROWS;
    int left = blockIdx.x * BLOCK_COLUMNS;

    constexpr int A_STEP = THREADS / 8;
    constexpr int B_STEP = THREADS / BLOCK_COLUMNS;
    static_assert(THREADS % BLOCK_COLUMNS == 0 && BLOCK_ROWS % A_STEP == 0 && DEPTH % B_STEP == 0,
                  "each thread copies as much");
    // a: a warp takes whole sectors, 8 words of each of 4 rows. b: neighbouring lanes take
    // neighbouring words.
    int a_row = thread / 8;
    int a_along = thread % 8;
    int b_along = thread / BLOCK_COLUMNS;
    int b_column = thread % BLOCK_COLUMNS;
    const float *a_from = a + (top + a_row) * k + a_along;
    const float *b_from = b + b_along * n + left + b_column;
    int a_rows_left = m - top - a_row;
    int b_columns_left = n - left - b_column;

    auto load = [&](int first) {
#pragma unroll
        for (int j = 0; j < BLOCK_ROWS / A_STEP; ++j) {
#pragma unroll
            for (int i = 0; i < DEPTH; i += 8) {
                bool there = j * A_STEP < a_rows_left && first + a_along + i < k;
                tile_a[a_along + i][a_row + j * A_STEP] = there ? a_from[j * A_STEP * k + i] : 0.0f;
            }
        }
#pragma unroll
        for (int j = 0; j < DEPTH / B_STEP; ++j) {
            bool there = first + b_along + j * B_STEP < k && 0 < b_columns_left;
            tile_b[b_along + j * B_STEP][b_column] = there ? b_from[j * B_STEP * n] : 0.0f;
        }
        a_from += DEPTH;
        b_from += DEPTH * n;
    };

    // This thread's rows and columns: groups of VECTOR, as far apart as the threads reach.
    int row = thread / ACROSS * VECTOR;
    int column = thread % ACROSS * VECTOR;
    float sums[THREAD_ROWS][THREAD_COLUMNS] = {};

#pragma unroll 1
    for (int first = 0; first < k; first += DEPTH) {
        load(first);
        __syncthreads(); // What the others loaded is there.

#pragma unroll
        for (int i = 0; i < DEPTH; ++i) {
            float from_a[THREAD_ROWS];
            float from_b[THREAD_COLUMNS];
#pragma unroll
            for (int r = 0; r < THREAD_ROWS; r += VECTOR) {
                *reinterpret_cast<float4 *>(&from_a[r]) =
                    *reinterpret_cast<const float4 *>(&tile_a[i][row + r * DOWN]);
            }
#pragma unroll
            for (int s = 0; s < THREAD_COLUMNS; s += VECTOR) {
                *reinterpret_cast<float4 *>(&from_b[s]) =
                    *reinterpret_cast<const float4 *>(&tile_b[i][column + s * ACROSS]);
            }
#pragma unroll
            for (int r = 0; r < THREAD_ROWS; ++r) {
#pragma unroll
                for (int s = 0; s < THREAD_COLUMNS; ++s) {
                    sums[r][s] = fmaf(from_a[r], from_b[s], sums[r][s]);
                }
            }
        }
        __syncthreads(); // The others have read the tiles: they may be overwritten.
    }

#pragma unroll
    for (int r = 0; r < THREAD_ROWS; ++r) {
        int y = top + row + r / VECTOR * (DOWN * VECTOR) + r % VECTOR;
#pragma unroll
        for (int s = 0; s < THREAD_COLUMNS; ++s) {
            int x = left + column + s / VECTOR * (ACROSS * VECTOR) + s % VECTOR;
            if (y < m && x < n) {
                c[y * n + x] = sums[r][s];
            }
        }
    }
}
