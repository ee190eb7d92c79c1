// 06-transpose: rows become columns.
//
// Task
//   out[x][y] = in[y][x] for every row y and column x.
//
// Given
//   `in` has `height` rows of `width` floats, row after row; `out` has `width` rows of `height`
//   floats. height and width need not be multiples of anything. If either is 0, there is nothing to
//   do. A block moves one tile of TILE_SIDE x TILE_SIDE elements with BLOCK_WIDTH x BLOCK_HEIGHT
//   threads. The host launches enough blocks in x and y to cover `in`; the last blocks reach past
//   its edges.
//
// Write
//   Read the tile row by row into shared memory, then write it along the rows of `out`. Then
//   neighbouring threads touch neighbouring words of global memory on both sides, and the tile is
//   turned in shared memory.
//
// Rules
//   Every sector of `in` is read once and every sector of `out` is written once, as far as rows
//   begin and end at sectors. There are no bank conflicts: where BLOCK_WIDTH is below 32 a warp has
//   several rows of threads, and one word of padding in each row of the tile is not always enough.
//
// Check
//   grader check 06-transpose
//   grader hint 06-transpose           (if you are stuck)

#include "course.cuh"

// Yours to choose: TILE_SIDE a multiple of 16 up to 64, BLOCK_WIDTH a multiple of 8 up to 32,
// BLOCK_HEIGHT from 1 to 32.
LAUNCH_CONSTANT(TILE_SIDE, 32);
LAUNCH_CONSTANT(BLOCK_WIDTH, 32);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 8);

extern "C" __global__ void transpose(const float *in, float *out, int width, int height) {
    // >>> your code: tile, barrier, turned tile
    // <<<
}
