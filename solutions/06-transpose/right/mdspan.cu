//! style: mdspan for the matrices and the tile; a cooperative group for the block.

#include <cooperative_groups.h>
#include <cuda/std/mdspan>

#include "course.cuh"

namespace cg = cooperative_groups;

LAUNCH_CONSTANT(TILE_SIDE, 32);
LAUNCH_CONSTANT(BLOCK_WIDTH, 32);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 1);

extern "C" __global__ void transpose(const float *in, float *out, int width, int height) {
    using Matrix = cuda::std::dextents<int, 2>;
    cuda::std::mdspan<const float, Matrix> from(in, height, width);
    cuda::std::mdspan<float, Matrix> to(out, width, height);
    __shared__ float words[TILE_SIDE * (TILE_SIDE + 1)];
    cuda::std::mdspan<float, cuda::std::extents<int, TILE_SIDE, TILE_SIDE + 1>> tile(words);

    auto block = cg::this_thread_block();
    dim3 place = block.thread_index();
    int left = block.group_index().x * TILE_SIDE;
    int top = block.group_index().y * TILE_SIDE;
    for (int y = place.y; y < TILE_SIDE && top + y < height; y += BLOCK_HEIGHT) {
        if (left + place.x < width) {
            tile(y, static_cast<int>(place.x)) = from(top + y, left + place.x);
        }
    }
    block.sync();
    for (int y = place.y; y < TILE_SIDE && left + y < width; y += BLOCK_HEIGHT) {
        if (top + place.x < height) {
            to(left + y, top + place.x) = tile(static_cast<int>(place.x), y);
        }
    }
}
