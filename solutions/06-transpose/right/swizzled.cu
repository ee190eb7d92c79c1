//! style: no padding: a tile's columns are permuted by exclusive or, chosen by templates.

#include "course.cuh"

LAUNCH_CONSTANT(TILE_SIDE, 64);
LAUNCH_CONSTANT(BLOCK_WIDTH, 32);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 32);

template <int SIDE> struct Swizzled {
    float words[SIDE][SIDE];
    __device__ float &at(int row, int column) { return words[row][column ^ (row % 32)]; }
};

extern "C" __global__ void transpose(const float *in, float *out, int width, int height) {
    __shared__ Swizzled<TILE_SIDE> tile;
    int left = blockIdx.x * TILE_SIDE;
    int top = blockIdx.y * TILE_SIDE;
    for (int y = threadIdx.y; y < TILE_SIDE; y += BLOCK_HEIGHT) {
        for (int x = threadIdx.x; x < TILE_SIDE; x += BLOCK_WIDTH) {
            if (top + y < height && left + x < width) {
                tile.at(y, x) = in[static_cast<size_t>(top + y) * width + left + x];
            }
        }
    }
    __syncthreads();
    for (int y = threadIdx.y; y < TILE_SIDE; y += BLOCK_HEIGHT) {
        for (int x = threadIdx.x; x < TILE_SIDE; x += BLOCK_WIDTH) {
            if (left + y < width && top + x < height) {
                out[static_cast<size_t>(left + y) * height + top + x] = tile.at(x, y);
            }
        }
    }
}
