// 08-matmul: the product of two matrices, tile by tile.
//
// Task
//   c = a * b:   c[row][column] = sum over i of  a[row][i] * b[i][column]
//
// Given
//   `a` has m rows of k floats, `b` k rows of n floats, `c` m rows of n floats; each row follows
//   the one before. m and n are at least 1, k may be 0 (c is zeros then); they differ, and are
//   rarely multiples of anything; no matrix has more than 2^30 elements, all of them are finite. A
//   block has TILE x TILE threads (threadIdx.x counts columns) and computes TILE x TILE elements of
//   c, one per thread. The host launches ceil(n / TILE) x ceil(m / TILE) blocks; the last ones
//   reach past c's edges.
//
// Write
//   Between the marks. Walk along k in steps of TILE: the block loads one tile of a and one of b
//   into shared memory, zeros where there is no matrix, and each thread multiplies a row of the one
//   by a column of the other. Sum in a register.
//
// Rules
//   Every block reads each element of its part of a and b from global memory once, neighbouring
//   threads neighbouring words. Two reads of shared memory for each multiply-add, none of them with
//   a bank conflict.
//   Write a multiply-add as fmaf(x, y, sum): the grader's compiler contracts nothing, so that what
//   you write is what runs, with the same bits on every device.
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
