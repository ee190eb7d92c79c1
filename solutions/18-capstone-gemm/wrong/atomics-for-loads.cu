//! fails: global_load_sectors, global_atomic_requests
//! may fail: speedup
//! why: an atomic that changes nothing is a load, and every thread makes two such loads for each
//! product.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_ROWS, 32);
LAUNCH_CONSTANT(BLOCK_COLUMNS, 32);
LAUNCH_CONSTANT(DEPTH, 32);
LAUNCH_CONSTANT(THREADS, 1024);
LAUNCH_CONSTANT(SHARED_BYTES, 0);

__device__ float read(const float *from) { return atomicAdd(const_cast<float *>(from), 0.0f); }

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    int row = blockIdx.y * BLOCK_ROWS + threadIdx.x / BLOCK_COLUMNS;
    int column = blockIdx.x * BLOCK_COLUMNS + threadIdx.x % BLOCK_COLUMNS;
    if (row < m && column < n) {
        float sum = 0.0f;
        for (int i = 0; i < k; ++i) {
            sum = fmaf(read(&a[row * k + i]), read(&b[i * n + column]), sum);
        }
        c[row * n + column] = sum;
    }
}
