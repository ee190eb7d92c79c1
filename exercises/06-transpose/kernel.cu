// 06-transpose: rows become columns.
//
// Task
//   out[x][y] = in[y][x] for every row y and column x.
//
// Given
//   `in` has `height` rows of `width` floats, row after row; `out` has `width` rows of `height`
//   floats. Neither need be a multiple of anything, and either may be 0: then nothing is to do.
//   A block moves one tile of TILE_SIDE x TILE_SIDE elements with BLOCK_WIDTH x BLOCK_HEIGHT
//   threads. The host launches enough blocks in x and y to cover `in`; the last ones reach past its
//   edges.
//
// Write
//   Read the tile row by row into shared memory, then write it row by row of `out`: neighbouring
//   threads touch neighbouring words of global memory on both sides, and shared memory does the
//   turning.
//
// Rules
//   Every sector of `in` is read once and every sector of `out` written once, as far as rows begin
//   and end at sectors. No bank conflicts: where BLOCK_WIDTH is below 32 a warp holds several rows
//   of threads, and one word of padding for each row of the tile is not always enough.
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
