//! style: b comes by asynchronous copies, a through registers that turn it; two tiles in turn.

#include <cuda_pipeline.h>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_ROWS, 128);
LAUNCH_CONSTANT(BLOCK_COLUMNS, 64);
LAUNCH_CONSTANT(DEPTH, 16);
LAUNCH_CONSTANT(THREADS, 128);
LAUNCH_CONSTANT(SHARED_BYTES, 65536);

constexpr int VECTOR = 4;
// A thread's sums: 8 rows of 8, in squares of 4 x 4 that lie a part of the block apart.
constexpr int ROWS = 8;
constexpr int COLUMNS = 8;
constexpr int ACROSS = BLOCK_COLUMNS / COLUMNS * VECTOR;
constexpr int DOWN = BLOCK_ROWS / ROWS * VECTOR;
static_assert(BLOCK_ROWS / ROWS * (BLOCK_COLUMNS / COLUMNS) == THREADS);
// A turned tile's rows: 4 words more keep 8 words along k of 4 rows in different banks.
constexpr int PITCH = BLOCK_ROWS + VECTOR;

struct Stage {
    float a[DEPTH][PITCH];
    float b[DEPTH][BLOCK_COLUMNS];
};
static_assert(2 * sizeof(Stage) <= SHARED_BYTES);
constexpr int WORDS_OF_A = BLOCK_ROWS * DEPTH / THREADS;

extern "C" __global__ void __launch_bounds__(THREADS)
    multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    extern __shared__ float4 pool[];
    Stage *stages = reinterpret_cast<Stage *>(pool);
    int x = threadIdx.x % (BLOCK_COLUMNS / COLUMNS);
    int y = threadIdx.x / (BLOCK_COLUMNS / COLUMNS);
    int top = blockIdx.y * BLOCK_ROWS;
    int left = blockIdx.x * BLOCK_COLUMNS;
    float sums[ROWS][COLUMNS] = {};
    float waiting[WORDS_OF_A];

    auto place_of_a = [&](int word, int &row, int &column) {
        int i = threadIdx.x + word * THREADS;
        column = i % 8 + i / 8 / BLOCK_ROWS * 8;
        row = i / 8 % BLOCK_ROWS;
    };
    auto start = [&](Stage &stage, int first) {
        for (int i = threadIdx.x; i < BLOCK_COLUMNS * DEPTH; i += THREADS) {
            int row = i / BLOCK_COLUMNS;
            int column = i % BLOCK_COLUMNS;
            bool there = first + row < k && left + column < n;
            const float *from =
                there ? &b[static_cast<size_t>(first + row) * n + left + column] : b;
            __pipeline_memcpy_async(&stage.b[row][column], from, sizeof(float),
                                    there ? 0 : sizeof(float));
        }
        __pipeline_commit();
#pragma unroll
        for (int word = 0; word < WORDS_OF_A; ++word) {
            int row, column;
            place_of_a(word, row, column);
            bool there = top + row < m && first + column < k;
            waiting[word] = there ? a[static_cast<size_t>(top + row) * k + first + column] : 0.0f;
        }
    };
    auto finish = [&](Stage &stage) {
#pragma unroll
        for (int word = 0; word < WORDS_OF_A; ++word) {
            int row, column;
            place_of_a(word, row, column);
            stage.a[column][row] = waiting[word];
        }
        __pipeline_wait_prior(0);
        __syncthreads();
    };

    start(stages[0], 0);
    finish(stages[0]);
    for (int first = 0, turn = 0; first < k; first += DEPTH, turn ^= 1) {
        bool more = first + DEPTH < k;
        if (more) {
            start(stages[turn ^ 1], first + DEPTH);
        }
        auto &tile_a = stages[turn].a;
        auto &tile_b = stages[turn].b;
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
        if (more) {
            finish(stages[turn ^ 1]);
        }
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
