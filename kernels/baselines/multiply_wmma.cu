// Baseline of 19-tensor-cores: wmma multiplies tiles in shared memory as in 08-matmul, neither
// padded nor swizzled.

#include <cuda_bf16.h>
#include <mma.h>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_ROWS, 128);
LAUNCH_CONSTANT(BLOCK_COLUMNS, 128);
LAUNCH_CONSTANT(DEPTH, 64);
LAUNCH_CONSTANT(THREADS, 256);
LAUNCH_CONSTANT(SHARED_BYTES, 0);

namespace wmma = nvcuda::wmma;

extern "C" __global__ void __launch_bounds__(THREADS)
    multiply(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int m, int n, int k) {
    // A warp computes 64 x 32: 4 x 2 products of 16 x 16 by 16 x 16.
    constexpr int WARP_ROWS = 64;
    constexpr int WARP_COLUMNS = 32;
    constexpr int WARPS_ACROSS = BLOCK_COLUMNS / WARP_COLUMNS;
    static_assert(BLOCK_ROWS / WARP_ROWS * WARPS_ACROSS * 32 == THREADS,
                  "the warps must cover the block's tile");
    constexpr int CHUNK = 8;
    constexpr int A_CHUNKS = DEPTH / CHUNK;
    constexpr int B_CHUNKS = BLOCK_COLUMNS / CHUNK;
    __shared__ __align__(32) __nv_bfloat16 tile_a[BLOCK_ROWS][DEPTH];
    __shared__ __align__(32) __nv_bfloat16 tile_b[DEPTH][BLOCK_COLUMNS];
    // wmma does not say which lane holds which sum, so sums get to c by way of shared memory.
    __shared__ __align__(32) float staged[THREADS / 32][16][16];
    int top = blockIdx.y * BLOCK_ROWS;
    int left = blockIdx.x * BLOCK_COLUMNS;
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int row = warp / WARPS_ACROSS * WARP_ROWS;
    int column = warp % WARPS_ACROSS * WARP_COLUMNS;

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[WARP_ROWS / 16][WARP_COLUMNS / 16];
#pragma unroll
    for (int r = 0; r < WARP_ROWS / 16; ++r) {
#pragma unroll
        for (int s = 0; s < WARP_COLUMNS / 16; ++s) {
            wmma::fill_fragment(sums[r][s], 0.0f);
        }
    }
    for (int first = 0; first < k; first += DEPTH) {
#pragma unroll
        for (int index = threadIdx.x; index < BLOCK_ROWS * A_CHUNKS; index += THREADS) {
            int y = index / A_CHUNKS;
            int x = index % A_CHUNKS * CHUNK;
            bool there = top + y < m && first + x < k;
            *reinterpret_cast<uint4 *>(&tile_a[y][x]) =
                there ? *reinterpret_cast<const uint4 *>(&a[(top + y) * k + first + x]) : uint4{};
        }
#pragma unroll
        for (int index = threadIdx.x; index < DEPTH * B_CHUNKS; index += THREADS) {
            int y = index / B_CHUNKS;
            int x = index % B_CHUNKS * CHUNK;
            bool there = first + y < k && left + x < n;
            *reinterpret_cast<uint4 *>(&tile_b[y][x]) =
                there ? *reinterpret_cast<const uint4 *>(&b[(first + y) * n + left + x]) : uint4{};
        }
        __syncthreads(); // What the others loaded is there.

#pragma unroll
        for (int i = 0; i < DEPTH; i += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major>
                from_a[WARP_ROWS / 16];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major>
                from_b[WARP_COLUMNS / 16];
#pragma unroll
            for (int r = 0; r < WARP_ROWS / 16; ++r) {
                wmma::load_matrix_sync(from_a[r], &tile_a[row + 16 * r][i], DEPTH);
            }
#pragma unroll
            for (int s = 0; s < WARP_COLUMNS / 16; ++s) {
                wmma::load_matrix_sync(from_b[s], &tile_b[i][column + 16 * s], BLOCK_COLUMNS);
            }
#pragma unroll
            for (int r = 0; r < WARP_ROWS / 16; ++r) {
#pragma unroll
                for (int s = 0; s < WARP_COLUMNS / 16; ++s) {
                    wmma::mma_sync(sums[r][s], from_a[r], from_b[s], sums[r][s]);
                }
            }
        }
        __syncthreads(); // The others have read the tiles: they may be overwritten.
    }

#pragma unroll
    for (int r = 0; r < WARP_ROWS / 16; ++r) {
#pragma unroll
        for (int s = 0; s < WARP_COLUMNS / 16; ++s) {
            wmma::store_matrix_sync(&staged[warp][0][0], sums[r][s], 16, wmma::mem_row_major);
            __syncwarp();
#pragma unroll
            for (int i = lane; i < 64; i += 32) {
                int y = top + row + 16 * r + i / 4;
                int x = left + column + 16 * s + i % 4 * 4;
                if (y < m && x < n) {
                    *reinterpret_cast<float4 *>(&c[y * n + x]) =
                        *reinterpret_cast<float4 *>(&staged[warp][i / 4][i % 4 * 4]);
                }
            }
            __syncwarp();
        }
    }
}
