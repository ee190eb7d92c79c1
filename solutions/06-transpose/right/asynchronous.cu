//! style: a tile filled by asynchronous copies of words, waited for through a cuda::pipeline.

#include <cuda/pipeline>

#include "course.cuh"

LAUNCH_CONSTANT(TILE_SIDE, 64);
LAUNCH_CONSTANT(BLOCK_WIDTH, 32);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 8);

extern "C" __global__ void transpose(const float *in, float *out, int width, int height) {
    __shared__ float tile[TILE_SIDE][TILE_SIDE + 1];
    int left = blockIdx.x * TILE_SIDE;
    int top = blockIdx.y * TILE_SIDE;
    auto pipeline = cuda::make_pipeline();
    pipeline.producer_acquire();
    for (int y = threadIdx.y; y < TILE_SIDE; y += BLOCK_HEIGHT) {
        for (int x = threadIdx.x; x < TILE_SIDE; x += BLOCK_WIDTH) {
            if (top + y < height && left + x < width) {
                cuda::memcpy_async(&tile[y][x], &in[(top + y) * width + left + x], sizeof(float),
                                   pipeline);
            }
        }
    }
    pipeline.producer_commit();
    pipeline.consumer_wait();
    __syncthreads();
    for (int y = threadIdx.y; y < TILE_SIDE; y += BLOCK_HEIGHT) {
        for (int x = threadIdx.x; x < TILE_SIDE; x += BLOCK_WIDTH) {
            if (left + y < width && top + x < height) {
                out[(left + y) * height + top + x] = tile[x][y];
            }
        }
    }
    pipeline.consumer_release();
}
