//! fails: global_store_sectors
//! may fail: speedup
//! why: there is no tile: a warp writes down a column of `out`, and each lane touches a sector of
//! its own.

#include "course.cuh"

// Yours to choose: TILE_SIDE a multiple of 16 up to 64, BLOCK_WIDTH a multiple of 8 up to 32,
// BLOCK_HEIGHT from 1 to 32.
LAUNCH_CONSTANT(TILE_SIDE, 32);
LAUNCH_CONSTANT(BLOCK_WIDTH, 32);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 8);

extern "C" __global__ void transpose(const float *in, float *out, int width, int height) {
    int left = blockIdx.x * TILE_SIDE;
    int top = blockIdx.y * TILE_SIDE;
    for (int row = threadIdx.y; row < TILE_SIDE; row += BLOCK_HEIGHT) {
        for (int column = threadIdx.x; column < TILE_SIDE; column += BLOCK_WIDTH) {
            int x = left + column;
            int y = top + row;
            if (x < width && y < height) {
                out[x * height + y] = in[y * width + x];
            }
        }
    }
}
