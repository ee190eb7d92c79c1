// Baseline of 20-bulk-copies: 19's ring of stages. Every thread copies chunks of 16 bytes into it by
// cp.async, waits at a block-wide barrier, and multiplies.

#include <cuda_bf16.h>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_ROWS, 128);
LAUNCH_CONSTANT(BLOCK_COLUMNS, 128);
LAUNCH_CONSTANT(DEPTH, 64);
LAUNCH_CONSTANT(THREADS, 256);
LAUNCH_CONSTANT(SHARED_BYTES, 98304);

constexpr int STAGES = 3;

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

// Copies 16 bytes from global to shared memory, or zeros if there is nothing to copy. The copy is
// under way when this returns.
__device__ __forceinline__ void copy(uint4 *to, const __nv_bfloat16 *from, bool there) {
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    int bytes = there ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from),
                 "r"(bytes)
                 : "memory");
}

// Makes a group of the copies that this thread has started since its last group.
__device__ __forceinline__ void end_of_stage() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until all but the last STAGES - 2 stages that this thread has copied for are complete.
__device__ __forceinline__ void wait_for_oldest_stage() {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
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
    struct Stage {
        uint4 a[BLOCK_ROWS][A_CHUNKS];
        uint4 b[DEPTH][B_CHUNKS];
    };
    static_assert(sizeof(Stage) * STAGES <= SHARED_BYTES, "the stages must fit the pool");
    extern __shared__ __align__(16) char pool[];
    Stage *stages = reinterpret_cast<Stage *>(pool);
    int top = blockIdx.y * BLOCK_ROWS;
    int left = blockIdx.x * BLOCK_COLUMNS;
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int row = warp / WARPS_ACROSS * WARP_ROWS;
    int column = warp % WARPS_ACROSS * WARP_COLUMNS;

    // Starts the copies of a round's tiles. Beyond k there are only zeros.
    auto load = [&](int round) {
        Stage &stage = stages[round % STAGES];
        int first = round * DEPTH;
#pragma unroll
        for (int index = threadIdx.x; index < BLOCK_ROWS * A_CHUNKS; index += THREADS) {
            int y = index / A_CHUNKS;
            int x = index % A_CHUNKS;
            int i = first + x * CHUNK;
            copy(&stage.a[y][x ^ y % 8], &a[(top + y) * k + i], top + y < m && i < k);
        }
#pragma unroll
        for (int index = threadIdx.x; index < DEPTH * B_CHUNKS; index += THREADS) {
            int y = index / B_CHUNKS;
            int x = index % B_CHUNKS;
            int j = left + x * CHUNK;
            copy(&stage.b[y][x ^ y % 8], &b[(first + y) * n + j], first + y < k && j < n);
        }
        end_of_stage();
    };

    float sums[WARP_ROWS / 16][WARP_COLUMNS / 8][4] = {};
    int rounds = ceil_div(k, DEPTH);
#pragma unroll
    for (int round = 0; round < STAGES - 1; ++round) {
        load(round);
    }
    for (int round = 0; round < rounds; ++round) {
        wait_for_oldest_stage();
        __syncthreads(); // All copies are there, and all threads have read the stage before.
        load(round + STAGES - 1);

        const Stage &stage = stages[round % STAGES];
#pragma unroll
        for (int i = 0; i < DEPTH; i += 16) {
            unsigned from_a[WARP_ROWS / 16][4];
            unsigned from_b[WARP_COLUMNS / 16][4];
#pragma unroll
            for (int r = 0; r < WARP_ROWS / 16; ++r) {
                int y = row + 16 * r + lane % 16;
                ldmatrix(from_a[r], &stage.a[y][(i / CHUNK + lane / 16) ^ y % 8]);
            }
#pragma unroll
            for (int s = 0; s < WARP_COLUMNS / 16; ++s) {
                int y = i + lane % 16;
                int x = (column + 16 * s) / CHUNK + lane / 16;
                ldmatrix_transposed(from_b[s], &stage.b[y][x ^ y % 8]);
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
