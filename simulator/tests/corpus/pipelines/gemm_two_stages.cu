// A product of tiles with two stages: while one is multiplied, copies of 16 bytes fetch the next, in the manner of templated matrix libraries.
//@ run --entry gemm --grid 2,2 --block 16,4 --arg in:f32:32x32=iota --arg in:f32:32x32=ones --arg out:f32:32x32
//! clean
//! defect 1: race at copy and use
//! defect 2: race at copy and use
//! defect 3: uninitialized_read|race at store|use
//! defect 4: misaligned at copy
#include <cuda_pipeline.h>
template <int M, int N, int K>
struct Stage {
    float a[M][K], b[K][N];
};
extern "C" __global__ void gemm(const float* a, const float* b, float* c)
{
    constexpr int TILE = 16, WIDTH = 32;
    __shared__ alignas(16) Stage<TILE, TILE, TILE> stages[2];
    int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
    int row = t / 4, column = t % 4 * 4;
    float sum[4] = {};
    auto fetch = [&](int step) {
        auto& stage = stages[step & 1];
        const float* left = &a[(blockIdx.y * TILE + row) * WIDTH + step * TILE + column];
        const float* right = &b[(step * TILE + row) * WIDTH + blockIdx.x * TILE + column];
#if DEFECT == 4
        ++right;
#endif
        __pipeline_memcpy_async(&stage.a[row][column], left, 16); // <- copy
        __pipeline_memcpy_async(&stage.b[row][column], right, 16); // <- copy
        __pipeline_commit();
    };
    fetch(0);
    for (int step = 0; step < WIDTH / TILE; ++step) {
#if DEFECT != 3
        if (step + 1 < WIDTH / TILE) fetch(step + 1); // <- step
#endif
#if DEFECT == 1
        __pipeline_wait_prior(1);
#else
        __pipeline_wait_prior(step + 1 < WIDTH / TILE ? 1 : 0);
#endif
#if DEFECT != 2
        __syncthreads();
#endif
        auto& stage = stages[step & 1];
        for (int k = 0; k < TILE; ++k)
            for (int i = 0; i < 4; ++i) sum[i] += stage.a[y * 4 + i][k] * stage.b[k][x]; // <- use
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) c[(blockIdx.y * TILE + y * 4 + i) * WIDTH + blockIdx.x * TILE + x] = sum[i]; // <- store
}
