//! style: sixteen rows for each thread: a word read once goes into all sums that need it.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_WIDTH, 32);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 1);
LAUNCH_CONSTANT(ROWS_PER_THREAD, 16);

constexpr int MAX_FILTER_SIZE = 15;
__constant__ float filter[MAX_FILTER_SIZE * MAX_FILTER_SIZE];

constexpr int OUTPUT_ROWS = BLOCK_HEIGHT * ROWS_PER_THREAD;

extern "C" __global__ void convolve(const float *image, float *result, int width, int height,
                                    int filter_size) {
    __shared__ float tile[OUTPUT_ROWS + MAX_FILTER_SIZE - 1][BLOCK_WIDTH + MAX_FILTER_SIZE - 1];
    const int radius = filter_size / 2;
    const int left = blockIdx.x * BLOCK_WIDTH;
    const int top = blockIdx.y * OUTPUT_ROWS;
    for (int y = threadIdx.y; y < OUTPUT_ROWS + 2 * radius; y += BLOCK_HEIGHT) {
        for (int x = threadIdx.x; x < BLOCK_WIDTH + 2 * radius; x += BLOCK_WIDTH) {
            unsigned row = top + y - radius;
            unsigned column = left + x - radius;
            tile[y][x] = row < height && column < width ? image[row * width + column] : 0.0f;
        }
    }
    __syncthreads();

    const int first = threadIdx.y * ROWS_PER_THREAD;
    float sums[ROWS_PER_THREAD] = {};
    for (int i = 0; i < filter_size; ++i) {
        for (int j = 0; j < filter_size; ++j) {
            float weight = filter[j * filter_size + i];
#pragma unroll
            for (int row = 0; row < ROWS_PER_THREAD; ++row) {
                sums[row] += weight * tile[first + row + j][threadIdx.x + i];
            }
        }
    }
    int x = left + threadIdx.x;
#pragma unroll
    for (int row = 0; row < ROWS_PER_THREAD; ++row) {
        int y = top + first + row;
        if (x < width && y < height) {
            result[y * width + x] = sums[row];
        }
    }
}
