//! style: the smallest tile and block: 16 x 16 elements by eight threads, 17 words a row.

#include "course.cuh"

LAUNCH_CONSTANT(TILE_SIDE, 16);
LAUNCH_CONSTANT(BLOCK_WIDTH, 8);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 1);

extern "C" __global__ void transpose(const float *in, float *out, int width, int height) {
    __shared__ float tile[TILE_SIDE][TILE_SIDE + 1];
    int left = blockIdx.x * TILE_SIDE;
    int top = blockIdx.y * TILE_SIDE;
    int columns = min(TILE_SIDE, width - left);
    int rows = min(TILE_SIDE, height - top);
    for (int y = threadIdx.y; y < rows; y += BLOCK_HEIGHT) {
        for (int x = threadIdx.x; x < columns; x += BLOCK_WIDTH) {
            tile[y][x] = in[(top + y) * width + left + x];
        }
    }
    __syncthreads();
    for (int y = threadIdx.y; y < columns; y += BLOCK_HEIGHT) {
        for (int x = threadIdx.x; x < rows; x += BLOCK_WIDTH) {
            out[(left + y) * height + top + x] = tile[x][y];
        }
    }
}
