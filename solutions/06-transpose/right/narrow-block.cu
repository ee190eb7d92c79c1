//! style: a block 8 threads wide, so that a warp holds four rows of threads, and a place computed for each word.

#include "course.cuh"

LAUNCH_CONSTANT(TILE_SIDE, 64);
LAUNCH_CONSTANT(BLOCK_WIDTH, 8);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 32);

// A warp writes four rows of eight words and reads four columns of eight words. Four neighbouring rows
// lie in different quarters of the banks, eight neighbouring rows in different eighths.
__device__ int place(int row, int column) {
    return row * TILE_SIDE + (column ^ (row % 4 * 8 + row / 4 % 2 * 4));
}

extern "C" __global__ void transpose(const float *in, float *out, int width, int height) {
    __shared__ float tile[TILE_SIDE * TILE_SIDE];
    const int left = blockIdx.x * TILE_SIDE;
    const int top = blockIdx.y * TILE_SIDE;
#pragma unroll
    for (int y = threadIdx.y; y < TILE_SIDE; y += BLOCK_HEIGHT) {
#pragma unroll
        for (int x = threadIdx.x; x < TILE_SIDE; x += BLOCK_WIDTH) {
            if (top + y < height && left + x < width) {
                tile[place(y, x)] = in[(top + y) * width + left + x];
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (int y = threadIdx.y; y < TILE_SIDE; y += BLOCK_HEIGHT) {
#pragma unroll
        for (int x = threadIdx.x; x < TILE_SIDE; x += BLOCK_WIDTH) {
            if (left + y < width && top + x < height) {
                out[(left + y) * height + top + x] = tile[place(x, y)];
            }
        }
    }
}
