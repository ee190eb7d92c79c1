// 18-capstone-gemm: the product of two matrices, with a tile of sums in every thread's registers.
//
// Task
//   c = a * b:   c[row][column] = sum over i of  a[row][i] * b[i][column]
//
// Given
//   `a` has m rows of k floats, `b` has k rows of n floats and `c` m rows of n floats, row after
//   row. m and n are at least 1; k may be 0 (then c is all zeros). The sizes are rarely multiples
//   of anything, so rows may begin at any multiple of 4 bytes. No matrix has more than 2^30
//   elements, and all of them are finite. A block has THREADS threads in one dimension and computes
//   BLOCK_ROWS x BLOCK_COLUMNS elements of c. The host launches ceil(n / BLOCK_COLUMNS) x ceil(m /
//   BLOCK_ROWS) blocks, each with SHARED_BYTES of dynamic shared memory.
//
// Write
//   Between the marks, walk along k in steps of DEPTH, with a tile of a and a tile of b in shared
//   memory, as in 08-matmul. But let each thread compute many elements of c, 8 x 8 for example: it
//   reads 8 words of each tile, as vectors of 4, and makes 64 multiply-adds with them.
//
// Rules
//   Every block reads each element of its part of a and b from global memory once, in runs of at
//   least 8 neighbours of a and 32 of b, and without atomics. It makes at least 8 multiply-adds for
//   each read of shared memory, and as many for each exchange between lanes; an atomic is a read,
//   too. No access to shared memory has a bank conflict, stores and asynchronous copies included.
//   One thing is allowed for: a copy also takes turns at the banks for what it reads of global
//   memory, and it may read 8 neighbours of a from each of 4 rows at a time.
//   Write a multiply-add as fmaf(x, y, sum): the grader's compiler fuses nothing, so that what you
//   write is what runs, with the same bits on every device.
//
// Check
//   grader check 18-capstone-gemm
//   grader hint 18-capstone-gemm       (if you are stuck)

#include "course.cuh"

// Yours to choose: BLOCK_ROWS and BLOCK_COLUMNS multiples of 32 from 32 to 256, DEPTH a multiple of
// 8 from 8 to 32, THREADS a multiple of 32 from 32 to 1024, SHARED_BYTES up to 65536 (0 if you need
// no more than a static array holds).
LAUNCH_CONSTANT(BLOCK_ROWS, 128);
LAUNCH_CONSTANT(BLOCK_COLUMNS, 128);
LAUNCH_CONSTANT(DEPTH, 8);
LAUNCH_CONSTANT(THREADS, 256);
LAUNCH_CONSTANT(SHARED_BYTES, 0);

extern "C" __global__ void __launch_bounds__(THREADS)
    multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    // >>> your code: tiles in shared memory, sums in registers
    // <<<
}
