// 19-tensor-cores: the product of two matrices of bfloat16 by tensor cores, from swizzled tiles.
//
// Task
//   c = a * b:   c[row][column] = sum over i of  a[row][i] * b[i][column]
//   The factors are bfloat16, the sums are float.
//
// Given
//   `a` has m rows of k numbers, `b` has k rows of n numbers and `c` m rows of n floats, row after
//   row. n and k are multiples of 8, so that every row begins at a multiple of 16 bytes. m is at
//   least 1 and n at least 8; k may be 0 (then c is all zeros). No matrix has more than 2^30
//   elements, and all of them are finite: a bfloat16 has the range of a float. A block has THREADS
//   threads in one dimension and computes BLOCK_ROWS x BLOCK_COLUMNS elements of c. The host
//   launches ceil(n / BLOCK_COLUMNS) x ceil(m / BLOCK_ROWS) blocks, each with SHARED_BYTES of
//   dynamic shared memory. Below are ldmatrix(), ldmatrix_transposed() and mma(), for tensor cores.
//
// Write
//   Between the marks, walk along k in steps of DEPTH, with a tile of a and a tile of b in shared
//   memory. Store the tiles in chunks of 16 bytes, swizzled as in 06-transpose. Each warp computes
//   its part of the block's tile, 64 x 32 for example: it reads fragments by ldmatrix, multiplies
//   them by mma, and keeps its sums in registers.
//
// Rules
//   Every block reads each element of its part of a and b from global memory once, in runs along
//   the rows, and without atomics. Each sector of c is written once. Every wavefront that fills a
//   tile brings 128 bytes. A block makes at least 1024 multiply-adds for each wavefront of reads
//   from shared memory, and as many for each exchange between lanes. No access to a tile has a bank
//   conflict, stores and asynchronous copies included (copy 16 bytes at a time, past L1). c may
//   pass through shared memory once.
//
// Check
//   grader check 19-tensor-cores
//   grader hint 19-tensor-cores        (if you are stuck)

#include <cuda_bf16.h>

#include "course.cuh"

// Yours to choose: BLOCK_ROWS and BLOCK_COLUMNS multiples of 32 from 32 to 256, DEPTH a multiple of
// 16 from 16 to 64, THREADS a multiple of 32 from 32 to 1024, SHARED_BYTES up to 101376 (0 if you
// need no more than a static array holds).
LAUNCH_CONSTANT(BLOCK_ROWS, 128);
LAUNCH_CONSTANT(BLOCK_COLUMNS, 128);
LAUNCH_CONSTANT(DEPTH, 64);
LAUNCH_CONSTANT(THREADS, 256);
LAUNCH_CONSTANT(SHARED_BYTES, 0);

// Reads four 8 x 8 matrices from shared memory. Lane 8 * j + r gives the address of row r of matrix
// j: 16 bytes, at a multiple of 16. Then to[j] of each lane holds two numbers of matrix j, the
// first in the lower half: row lane / 4, columns 2 * (lane % 4) and 2 * (lane % 4) + 1.
__device__ __forceinline__ void ldmatrix(unsigned (&to)[4], const void *row) {
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
}

// Does the same with each matrix transposed: column lane / 4, rows 2 * (lane % 4) and the next one.
__device__ __forceinline__ void ldmatrix_transposed(unsigned (&to)[4], const void *row) {
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
}

// sums += a * b, of 16 x 16 by 16 x 8. With g = lane / 4 and t = lane % 4, a lane holds
//   a[0], a[1]:        of rows g and g + 8, columns 2 * t and 2 * t + 1
//   a[2], a[3]:        of the same rows, columns 2 * t + 8 and 2 * t + 9
//   b_upper, b_lower:  of column g, rows 2 * t and 2 * t + 1, and rows 2 * t + 8 and 2 * t + 9
//   sums[0], sums[1]:  of row g, columns 2 * t and 2 * t + 1
//   sums[2], sums[3]:  of row g + 8, the same columns
__device__ __forceinline__ void mma(float (&sums)[4], const unsigned (&a)[4], unsigned b_upper,
                                    unsigned b_lower) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_upper), "r"(b_lower));
}

extern "C" __global__ void __launch_bounds__(THREADS)
    multiply(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int m, int n, int k) {
    // >>> your code: swizzled tiles in shared memory, fragments and sums in registers
    // <<<
}
