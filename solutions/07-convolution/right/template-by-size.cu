//! style: one instance of a template for each odd filter size, chosen by a switch; loops unrolled.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_WIDTH, 32);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 8);
LAUNCH_CONSTANT(ROWS_PER_THREAD, 2);

constexpr int MAX_FILTER_SIZE = 15;
__constant__ float filter[MAX_FILTER_SIZE * MAX_FILTER_SIZE];

constexpr int OUTPUT_ROWS = BLOCK_HEIGHT * ROWS_PER_THREAD;
constexpr int MAX_COLUMNS = BLOCK_WIDTH + MAX_FILTER_SIZE - 1;
constexpr int MAX_ROWS = OUTPUT_ROWS + MAX_FILTER_SIZE - 1;
using Tile = float[MAX_ROWS][MAX_COLUMNS];

template <int SIZE>
__device__ void convolve_by(const float *image, float *result, int width, int height, Tile &tile) {
    constexpr int RADIUS = SIZE / 2;
    int left = blockIdx.x * BLOCK_WIDTH;
    int top = blockIdx.y * OUTPUT_ROWS;
    for (int y = threadIdx.y; y < OUTPUT_ROWS + 2 * RADIUS; y += BLOCK_HEIGHT) {
        for (int x = threadIdx.x; x < BLOCK_WIDTH + 2 * RADIUS; x += BLOCK_WIDTH) {
            int row = top + y - RADIUS;
            int column = left + x - RADIUS;
            bool inside = row >= 0 && row < height && column >= 0 && column < width;
            tile[y][x] = inside ? image[row * width + column] : 0.0f;
        }
    }
    __syncthreads();
    for (int y = threadIdx.y; y < OUTPUT_ROWS; y += BLOCK_HEIGHT) {
        if (top + y < height && left + threadIdx.x < width) {
            float sum = 0.0f;
#pragma unroll
            for (int j = 0; j < SIZE; ++j) {
#pragma unroll
                for (int i = 0; i < SIZE; ++i) {
                    sum = fmaf(filter[j * SIZE + i], tile[y + j][threadIdx.x + i], sum);
                }
            }
            result[(top + y) * width + left + threadIdx.x] = sum;
        }
    }
}

extern "C" __global__ void convolve(const float *image, float *result, int width, int height,
                                    int filter_size) {
    __shared__ Tile tile;
    switch (filter_size) {
    case 1: return convolve_by<1>(image, result, width, height, tile);
    case 3: return convolve_by<3>(image, result, width, height, tile);
    case 5: return convolve_by<5>(image, result, width, height, tile);
    case 7: return convolve_by<7>(image, result, width, height, tile);
    case 9: return convolve_by<9>(image, result, width, height, tile);
    case 11: return convolve_by<11>(image, result, width, height, tile);
    case 13: return convolve_by<13>(image, result, width, height, tile);
    case 15: return convolve_by<15>(image, result, width, height, tile);
    }
}
