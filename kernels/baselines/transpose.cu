// Baseline of 06-transpose: each thread moves one element, without a tile. The kernel reads along
// rows and stores down columns.
#include "course.cuh"

LAUNCH_CONSTANT(TILE_SIDE, 32);
LAUNCH_CONSTANT(BLOCK_WIDTH, 32);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 8);

extern "C" __global__ void transpose(const float *in, float *out, int width, int height) {
    int x = blockIdx.x * TILE_SIDE + threadIdx.x;
    for (int row = threadIdx.y; row < TILE_SIDE; row += BLOCK_HEIGHT) {
        int y = blockIdx.y * TILE_SIDE + row;
        if (x < width && y < height) {
            out[x * height + y] = in[y * width + x];
        }
    }
}
