//! fails: correct
//! why: a's quarters go to the right before they go down: a[1] has the columns from 8 on, but
//! mma expects the rows from 8 on there.

#include <cuda_bf16.h>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_ROWS, 128);
LAUNCH_CONSTANT(BLOCK_COLUMNS, 128);
LAUNCH_CONSTANT(DEPTH, 64);
LAUNCH_CONSTANT(THREADS, 256);
LAUNCH_CONSTANT(SHARED_BYTES, 0);

// Reads four 8 x 8 matrices, whose rows' addresses the lanes give.
__device__ __forceinline__ void ldmatrix(unsigned (&to)[4], const void *row) {
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
}

// Does the same with each matrix transposed.
__device__ __forceinline__ void ldmatrix_transposed(unsigned (&to)[4], const void *row) {
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
}

// sums += a * b, of 16 x 16 by 16 x 8.
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
    // A warp computes 64 x 32: 4 x 4 products of 16 x 16 by 16 x 8.
    constexpr int WARP_ROWS = 64;
    constexpr int WARP_COLUMNS = 32;
    constexpr int WARPS_ACROSS = BLOCK_COLUMNS / WARP_COLUMNS;
    static_assert(BLOCK_ROWS / WARP_ROWS * WARPS_ACROSS * 32 == THREADS,
                  "the warps must cover the block's tile");
    // A tile's unit is a chunk of 8 numbers, 16 bytes. Chunk x of row y lies at x ^ y % 8, so that a
    // column of chunks goes through all banks.
    constexpr int CHUNK = 8;
    constexpr int A_CHUNKS = DEPTH / CHUNK;
    constexpr int B_CHUNKS = BLOCK_COLUMNS / CHUNK;
    static_assert(A_CHUNKS % 8 == 0 && B_CHUNKS % 8 == 0, "a chunk must stay in its row");
    __shared__ uint4 tile_a[BLOCK_ROWS][A_CHUNKS];
    __shared__ uint4 tile_b[DEPTH][B_CHUNKS];
    int top = blockIdx.y * BLOCK_ROWS;
    int left = blockIdx.x * BLOCK_COLUMNS;
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int row = warp / WARPS_ACROSS * WARP_ROWS;
    int column = warp % WARPS_ACROSS * WARP_COLUMNS;

    float sums[WARP_ROWS / 16][WARP_COLUMNS / 8][4] = {};
    for (int first = 0; first < k; first += DEPTH) {
#pragma unroll
        for (int index = threadIdx.x; index < BLOCK_ROWS * A_CHUNKS; index += THREADS) {
            int y = index / A_CHUNKS;
            int x = index % A_CHUNKS;
            int i = first + x * CHUNK;
            bool there = top + y < m && i < k;
            tile_a[y][x ^ y % 8] =
                there ? *reinterpret_cast<const uint4 *>(&a[(top + y) * k + i]) : uint4{};
        }
#pragma unroll
        for (int index = threadIdx.x; index < DEPTH * B_CHUNKS; index += THREADS) {
            int y = index / B_CHUNKS;
            int x = index % B_CHUNKS;
            int j = left + x * CHUNK;
            bool there = first + y < k && j < n;
            tile_b[y][x ^ y % 8] =
                there ? *reinterpret_cast<const uint4 *>(&b[(first + y) * n + j]) : uint4{};
        }
        __syncthreads(); // What the others loaded is there.

#pragma unroll
        for (int i = 0; i < DEPTH; i += 16) {
            unsigned from_a[WARP_ROWS / 16][4];
            unsigned from_b[WARP_COLUMNS / 16][4];
#pragma unroll
            for (int r = 0; r < WARP_ROWS / 16; ++r) {
                int y = row + 16 * r + lane / 16 * 8 + lane % 8;
                ldmatrix(from_a[r], &tile_a[y][(i / CHUNK + lane / 8 % 2) ^ y % 8]);
            }
#pragma unroll
            for (int s = 0; s < WARP_COLUMNS / 16; ++s) {
                int y = i + lane % 16;
                int x = (column + 16 * s) / CHUNK + lane / 16;
                ldmatrix_transposed(from_b[s], &tile_b[y][x ^ y % 8]);
            }
#pragma unroll
            for (int r = 0; r < WARP_ROWS / 16; ++r) {
#pragma unroll
                for (int s = 0; s < WARP_COLUMNS / 8; ++s) {
                    const unsigned *right = &from_b[s / 2][s % 2 * 2];
                    mma(sums[r][s], from_a[r], right[0], right[1]);
                }
            }
        }
        __syncthreads(); // The others have read the tiles: they may be overwritten.
    }

#pragma unroll
    for (int r = 0; r < WARP_ROWS / 16; ++r) {
#pragma unroll
        for (int s = 0; s < WARP_COLUMNS / 8; ++s) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                int y = top + row + 16 * r + 8 * half + lane / 4;
                int x = left + column + 8 * s + lane % 4 * 2;
                if (y < m && x < n) {
                    *reinterpret_cast<float2 *>(&c[y * n + x]) =
                        float2{sums[r][s][2 * half], sums[r][s][2 * half + 1]};
                }
            }
        }
    }
}
