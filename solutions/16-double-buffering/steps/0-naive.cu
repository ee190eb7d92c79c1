//! fails: global_load_sectors, busiest_block_load_sectors, shared_load_requests_during_copies
//! why: the naive kernel is for comparison: it has no tiles.
// Step 0: the kernel has no tile at all, as 08 began. Claims about double buffering often compare
// with this kernel.

#include "course.cuh"

// The side of a block; there is no tile to be chosen.
LAUNCH_CONSTANT(TILE, 32);

__device__ __forceinline__ void multiply_from_global(const float *a, const float *b, float *c,
                                                     int m, int n, int k) {
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    if (row < m && column < n) {
        float sum = 0.0f;
        for (int i = 0; i < k; ++i) {
            sum = fmaf(a[row * k + i], b[i * n + column], sum);
        }
        c[row * n + column] = sum;
    }
}

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    multiply_from_global(a, b, c, m, n, k);
}

extern "C" __global__ void multiply_async(const float *a, const float *b, float *c, int m, int n,
                                          int k) {
    multiply_from_global(a, b, c, m, n, k);
}
