//! fails: exchange_requests
//! may fail: speedup
//! why: right, but every multiply-add asks another lane for its factor, where four vector reads of
//! shared memory serve 64.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_ROWS, 32);
LAUNCH_CONSTANT(BLOCK_COLUMNS, 32);
LAUNCH_CONSTANT(DEPTH, 32);
LAUNCH_CONSTANT(THREADS, 32);
LAUNCH_CONSTANT(SHARED_BYTES, 0);

// One warp: lane l has column l of the tile of a and of the tile of b.
extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    int lane = threadIdx.x;
    int top = blockIdx.y * BLOCK_ROWS;
    int column = blockIdx.x * BLOCK_COLUMNS + lane;

    float sums[BLOCK_ROWS] = {};
    for (int first = 0; first < k; first += DEPTH) {
        float rows_of_a[BLOCK_ROWS];
        #pragma unroll
        for (int row = 0; row < BLOCK_ROWS; ++row) {
            bool there = top + row < m && first + lane < k;
            rows_of_a[row] = there ? a[(top + row) * k + first + lane] : 0.0f;
        }
        for (int i = 0; i < DEPTH; ++i) {
            float factor = first + i < k && column < n ? b[(first + i) * n + column] : 0.0f;
            #pragma unroll
            for (int row = 0; row < BLOCK_ROWS; ++row) {
                sums[row] = fmaf(__shfl_sync(0xffffffff, rows_of_a[row], i), factor, sums[row]);
            }
        }
    }
    #pragma unroll
    for (int row = 0; row < BLOCK_ROWS; ++row) {
        if (top + row < m && column < n) {
            c[(top + row) * n + column] = sums[row];
        }
    }
}
