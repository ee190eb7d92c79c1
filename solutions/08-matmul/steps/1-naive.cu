//! fails: global_load_sectors
//! why: the naive kernel is for comparison: it has no tiles.
// Step 1: the kernel is right but uses no shared memory. It is the baseline.

#include "course.cuh"

LAUNCH_CONSTANT(TILE, 32);

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    if (row >= m || column >= n) {
        return;
    }
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) {
        sum = fmaf(a[row * k + i], b[i * n + column], sum);
    }
    c[row * n + column] = sum;
}
