// Step 3, expert: each thread computes several rows, and the compiler knows the filter's size. This
// tile is worth its cost.

#include "course.cuh"

// Yours to choose: BLOCK_WIDTH a multiple of 8 up to 128, BLOCK_HEIGHT from 1 to 32,
// ROWS_PER_THREAD from 1 to 16.
LAUNCH_CONSTANT(BLOCK_WIDTH, 32);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 8);
LAUNCH_CONSTANT(ROWS_PER_THREAD, 8);

constexpr int MAX_FILTER_SIZE = 15;
__constant__ float filter[MAX_FILTER_SIZE * MAX_FILTER_SIZE];

constexpr int ROWS = BLOCK_HEIGHT * ROWS_PER_THREAD;
constexpr int MAX_HALO = MAX_FILTER_SIZE - 1;
using Tile = float[ROWS + MAX_HALO][BLOCK_WIDTH + MAX_HALO];

// Because the compiler knows the size, the weights become operands of the multiply-adds, and all
// loops unroll.
template <int SIZE>
__device__ __forceinline__ void convolve_tile(Tile &tile, const float *image, float *result,
                                              int width, int height) {
    constexpr int RADIUS = SIZE / 2;
    int left = blockIdx.x * BLOCK_WIDTH;
    int top = blockIdx.y * ROWS;

    for (int y = threadIdx.y; y < ROWS + SIZE - 1; y += BLOCK_HEIGHT) {
        for (int x = threadIdx.x; x < BLOCK_WIDTH + SIZE - 1; x += BLOCK_WIDTH) {
            int image_x = left + x - RADIUS;
            int image_y = top + y - RADIUS;
            bool inside = image_x >= 0 && image_x < width && image_y >= 0 && image_y < height;
            tile[y][x] = inside ? image[image_y * width + image_x] : 0.0f;
        }
    }
    __syncthreads();

    // A thread's rows lie next to each other, so a pixel read once serves every row of the thread
    // that it reaches.
    float sums[ROWS_PER_THREAD] = {};
    int first = threadIdx.y * ROWS_PER_THREAD;
#pragma unroll
    for (int i = 0; i < SIZE; ++i) {
#pragma unroll
        for (int y = 0; y < SIZE + ROWS_PER_THREAD - 1; ++y) {
            float pixel = tile[first + y][threadIdx.x + i];
#pragma unroll
            for (int row = 0; row < ROWS_PER_THREAD; ++row) {
                int j = y - row;
                if (j >= 0 && j < SIZE) {
                    sums[row] = fmaf(filter[j * SIZE + i], pixel, sums[row]);
                }
            }
        }
    }

    int x = left + threadIdx.x;
    for (int row = 0; row < ROWS_PER_THREAD; ++row) {
        int y = top + first + row;
        if (x < width && y < height) {
            result[y * width + x] = sums[row];
        }
    }
}

extern "C" __global__ void convolve(const float *image, float *result, int width, int height,
                                    int filter_size) {
    __shared__ Tile tile;
    switch (filter_size) {
    case 1: return convolve_tile<1>(tile, image, result, width, height);
    case 3: return convolve_tile<3>(tile, image, result, width, height);
    case 5: return convolve_tile<5>(tile, image, result, width, height);
    case 7: return convolve_tile<7>(tile, image, result, width, height);
    case 9: return convolve_tile<9>(tile, image, result, width, height);
    case 11: return convolve_tile<11>(tile, image, result, width, height);
    case 13: return convolve_tile<13>(tile, image, result, width, height);
    case 15: return convolve_tile<15>(tile, image, result, width, height);
    }
}
