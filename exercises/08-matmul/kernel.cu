// 08-matmul: the product of two matrices, tile by tile.
//
// Task
//   c = a * b:   c[row][column] = sum over i of  a[row][i] * b[i][column]
//
// Given
//   `a` has m rows of k floats, `b` has k rows of n floats and `c` m rows of n floats, row after
//   row. m and n are at least 1; k may be 0 (then c is all zeros). The sizes differ and are rarely
//   multiples of anything. No matrix has more than 2^30 elements, and all elements are finite. A
//   block has TILE x TILE threads (threadIdx.x counts columns) and computes TILE x TILE elements of
//   c, one per thread. The host launches ceil(n / TILE) x ceil(m / TILE) blocks; the last blocks
//   reach past c's edges.
//
// Write
//   Between the marks, walk along k in steps of TILE: the block loads one tile of a and one of b
//   into shared memory, with zeros where there is no matrix, and each thread multiplies a row of
//   a's tile by a column of b's tile. Keep the sum in a register.
//
// Rules
//   Every block reads each element of its part of a and b from global memory once, and neighbouring
//   threads read neighbouring words. A multiply-add takes two reads of shared memory, and no read
//   has a bank conflict.
//   Write a multiply-add as fmaf(x, y, sum): the grader's compiler fuses nothing, so that what you
//   write is what runs, with the same bits on every device.
//
// Check
//   grader check 08-matmul
//   grader hint 08-matmul              (if you are stuck)

#include "course.cuh"

// The side of a tile, yours to choose: a multiple of 8 from 8 to 32.
LAUNCH_CONSTANT(TILE, 16);

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    // >>> your code: tiles, two barriers, a sum
    // <<<
}
