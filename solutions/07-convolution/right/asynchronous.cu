//! style: asynchronous copies of words into the tile, zeros stored beside them; a wide block.

#include <cuda_pipeline.h>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_WIDTH, 128);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 2);
LAUNCH_CONSTANT(ROWS_PER_THREAD, 1);

constexpr int MAX_FILTER_SIZE = 15;
__constant__ float filter[MAX_FILTER_SIZE * MAX_FILTER_SIZE];

constexpr int OUTPUT_ROWS = BLOCK_HEIGHT * ROWS_PER_THREAD;

extern "C" __global__ void convolve(const float *image, float *result, int width, int height,
                                    int filter_size) {
    __shared__ float tile[OUTPUT_ROWS + MAX_FILTER_SIZE - 1][BLOCK_WIDTH + MAX_FILTER_SIZE - 1];
    int radius = filter_size / 2;
    int left = blockIdx.x * BLOCK_WIDTH - radius;
    int top = blockIdx.y * OUTPUT_ROWS - radius;
    for (int y = threadIdx.y; y < OUTPUT_ROWS + 2 * radius; y += BLOCK_HEIGHT) {
        for (int x = threadIdx.x; x < BLOCK_WIDTH + 2 * radius; x += BLOCK_WIDTH) {
            int row = top + y;
            int column = left + x;
            if (0 <= row && row < height && 0 <= column && column < width) {
                __pipeline_memcpy_async(&tile[y][x], &image[row * width + column], sizeof(float));
            } else {
                tile[y][x] = 0.0f;
            }
        }
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();

    int x = blockIdx.x * BLOCK_WIDTH + threadIdx.x;
    int y = blockIdx.y * OUTPUT_ROWS + threadIdx.y;
    if (x < width && y < height) {
        float sum = 0.0f;
        const float *weight = filter;
        for (int j = 0; j < filter_size; ++j) {
            const float *row = &tile[threadIdx.y + j][threadIdx.x];
            for (int i = 0; i < filter_size; ++i) {
                sum += *weight++ * *row++;
            }
        }
        result[y * width + x] = sum;
    }
}
