//! fails: global_load_sectors
//! may fail: speedup
//! why: the roles are swapped: now the kernel writes along rows and reads down columns.

#include "course.cuh"

// Yours to choose: TILE_SIDE a multiple of 16 up to 64, BLOCK_WIDTH a multiple of 8 up to 32,
// BLOCK_HEIGHT from 1 to 32.
LAUNCH_CONSTANT(TILE_SIDE, 32);
LAUNCH_CONSTANT(BLOCK_WIDTH, 32);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 8);

extern "C" __global__ void transpose(const float *in, float *out, int width, int height) {
    int left = blockIdx.x * TILE_SIDE;
    int top = blockIdx.y * TILE_SIDE;
    for (int column = threadIdx.y; column < TILE_SIDE; column += BLOCK_HEIGHT) {
        for (int row = threadIdx.x; row < TILE_SIDE; row += BLOCK_WIDTH) {
            int x = left + column;
            int y = top + row;
            if (x < width && y < height) {
                out[x * height + y] = in[y * width + x];
            }
        }
    }
}
