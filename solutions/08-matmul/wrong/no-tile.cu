//! fails: global_load_sectors
//! may fail: speedup
//! why: right, but without shared memory every thread fetches its row and column for itself.

#include "course.cuh"

LAUNCH_CONSTANT(TILE, 16);

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
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
