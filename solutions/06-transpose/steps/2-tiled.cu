//! fails: shared_bank_conflicts
//! why: for comparison: the tile has no padding, which the next step adds.
// Step 2: the elements go through a tile, so that global memory is read and written along rows. But
// a column of the tile lies in a single bank: each read of a column takes 32 wavefronts.

#include "course.cuh"

// Yours to choose: TILE_SIDE a multiple of 16 up to 64, BLOCK_WIDTH a multiple of 8 up to 32,
// BLOCK_HEIGHT from 1 to 32.
LAUNCH_CONSTANT(TILE_SIDE, 32);
LAUNCH_CONSTANT(BLOCK_WIDTH, 32);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 8);

extern "C" __global__ void transpose(const float *in, float *out, int width, int height) {
    __shared__ float tile[TILE_SIDE][TILE_SIDE];
    int left = blockIdx.x * TILE_SIDE;
    int top = blockIdx.y * TILE_SIDE;

    for (int row = threadIdx.y; row < TILE_SIDE; row += BLOCK_HEIGHT) {
        for (int column = threadIdx.x; column < TILE_SIDE; column += BLOCK_WIDTH) {
            if (left + column < width && top + row < height) {
                tile[row][column] = in[(top + row) * width + left + column];
            }
        }
    }
    __syncthreads();

    for (int column = threadIdx.y; column < TILE_SIDE; column += BLOCK_HEIGHT) {
        for (int row = threadIdx.x; row < TILE_SIDE; row += BLOCK_WIDTH) {
            if (left + column < width && top + row < height) {
                out[(left + column) * height + top + row] = tile[row][column];
            }
        }
    }
}
