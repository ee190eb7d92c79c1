// 07-convolution: a filter over an image.
//
// Task
//   Each result pixel is the sum of the pixels around it, each times its weight in the filter:
//
//     result[y][x] = sum over j, i of  filter[j][i] * image[y + j - radius][x + i - radius]
//
//   with j and i from 0 to filter_size - 1 and radius = filter_size / 2. Pixels outside the image
//   count as 0. The filter is applied as it stands, neither flipped nor transposed (strictly
//   speaking, this is a correlation).
//
// Given
//   `image` and `result`: height rows of width floats, row after row. `filter`: filter_size rows of
//   filter_size floats, row after row, in constant memory; filter_size is odd, from 1 to 15.
//   A block has BLOCK_WIDTH x BLOCK_HEIGHT threads and computes BLOCK_WIDTH x (BLOCK_HEIGHT *
//   ROWS_PER_THREAD) pixels. The host launches as many blocks as it takes to cover the image; the
//   last blocks reach past its edges. A block can have 1024 threads at most.
//
// Write
//   Load the block's pixels and the halo around them, zeros where there is no image, into a tile in
//   shared memory; then compute from the tile.
//
// Rules
//   Read global memory only to fill the tile, and write each result once. Neighbouring threads read
//   neighbouring pixels and write neighbouring results. The sums read the tile without bank
//   conflicts: a BLOCK_WIDTH that is not a multiple of 32 needs a row pitch that fits.
//   Write a multiply-add as fmaf(x, y, sum): the grader's compiler fuses nothing, so that what you
//   write is what runs, with the same bits on every device.
//
// Check
//   grader check 07-convolution
//   grader hint 07-convolution         (if you are stuck)

#include "course.cuh"

// Yours to choose: BLOCK_WIDTH a multiple of 8 up to 128, BLOCK_HEIGHT from 1 to 32,
// ROWS_PER_THREAD from 1 to 16.
LAUNCH_CONSTANT(BLOCK_WIDTH, 32);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 8);
LAUNCH_CONSTANT(ROWS_PER_THREAD, 1);

constexpr int MAX_FILTER_SIZE = 15;
__constant__ float filter[MAX_FILTER_SIZE * MAX_FILTER_SIZE];

extern "C" __global__ void convolve(const float *image, float *result, int width, int height,
                                    int filter_size) {
    // >>> your code: tile, halo, barrier, sum
    // <<<
}
