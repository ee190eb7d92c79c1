// Step 6: a block computes 128 x 256, so that each element that it reads serves more products. There
// is no second block beside it to work while it waits, so each warp reads the next fragments while it
// multiplies. Shared memory holds four stages of half the depth. Two rows of a's tile share the
// banks, and the swizzle takes this into account.

#include <cuda_bf16.h>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_ROWS, 128);
LAUNCH_CONSTANT(BLOCK_COLUMNS, 256);
LAUNCH_CONSTANT(DEPTH, 32);
LAUNCH_CONSTANT(THREADS, 256);
LAUNCH_CONSTANT(SHARED_BYTES, 98304);

constexpr int STAGES = 4;

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
    // A warp computes 64 x 64: 4 x 8 products of 16 x 16 by 16 x 8.
    constexpr int WARP_ROWS = 64;
    constexpr int WARP_COLUMNS = 64;
    constexpr int WARPS_ACROSS = BLOCK_COLUMNS / WARP_COLUMNS;
    static_assert(BLOCK_ROWS / WARP_ROWS * WARPS_ACROSS * 32 == THREADS,
                  "the warps must cover the block's tile");
    // A tile's unit is a chunk of 8 numbers, 16 bytes. Chunk x of row y lies at x ^ y % 8, so that a
    // column of chunks goes through all banks. A row of a's tile has 4 chunks, and two rows fill
    // the banks: there chunk x lies at x ^ y / 2 % 4.
    constexpr int CHUNK = 8;
    constexpr int A_CHUNKS = DEPTH / CHUNK;
    constexpr int B_CHUNKS = BLOCK_COLUMNS / CHUNK;
    constexpr int STEPS = DEPTH / 16;
    static_assert(STEPS % 2 == 0, "each round must begin with the same set of fragments");
    static_assert(A_CHUNKS % 4 == 0 && B_CHUNKS % 8 == 0, "a chunk must stay in its row");
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

    // The chunks that this thread copies: one of a's tile in every A_STEP rows, one of b's tile in
    // every B_STEP rows. The steps are multiples of 8, so that the swizzle is the same in all of them.
    constexpr int A_STEP = THREADS / A_CHUNKS;
    constexpr int B_STEP = THREADS / B_CHUNKS;
    static_assert(A_STEP % 8 == 0 && B_STEP % 8 == 0, "a thread's chunks must be swizzled alike");
    int a_y = threadIdx.x / A_CHUNKS;
    int a_x = threadIdx.x % A_CHUNKS;
    int b_y = threadIdx.x / B_CHUNKS;
    int b_x = threadIdx.x % B_CHUNKS;
    const __nv_bfloat16 *from_a = &a[(top + a_y) * k + a_x * CHUNK];
    const __nv_bfloat16 *from_b = &b[b_y * n + left + b_x * CHUNK];
    bool b_there = left + b_x * CHUNK < n;
    int first = 0; // The first column of a, and row of b, of the next round that is copied.
    int filled = 0;

    // Starts the copies of the next round's tiles. Beyond k there are only zeros.
    auto load = [&]() {
        Stage &stage = stages[filled];
        filled = filled + 1 == STAGES ? 0 : filled + 1;
#pragma unroll
        for (int y = 0; y < BLOCK_ROWS; y += A_STEP) {
            copy(&stage.a[a_y + y][a_x ^ a_y / 2 % 4], from_a + y * k,
                 top + a_y + y < m && first + a_x * CHUNK < k);
        }
#pragma unroll
        for (int y = 0; y < DEPTH; y += B_STEP) {
            copy(&stage.b[b_y + y][b_x ^ b_y % 8], from_b + y * n, first + b_y + y < k && b_there);
        }
        end_of_stage();
        first += DEPTH;
        from_a += DEPTH;
        from_b += DEPTH * n;
    };

    // Two sets of fragments: one is multiplied, the other is read meanwhile.
    unsigned a_fragments[2][WARP_ROWS / 16][4];
    unsigned b_fragments[2][WARP_COLUMNS / 16][4];
    auto read = [&](const Stage &stage, int step, int set) {
#pragma unroll
        for (int r = 0; r < WARP_ROWS / 16; ++r) {
            int y = row + 16 * r + lane % 16;
            int x = step * 16 / CHUNK + lane / 16;
            ldmatrix(a_fragments[set][r], &stage.a[y][x ^ y / 2 % 4]);
        }
#pragma unroll
        for (int s = 0; s < WARP_COLUMNS / 16; ++s) {
            int y = step * 16 + lane % 16;
            int x = (column + 16 * s) / CHUNK + lane / 16;
            ldmatrix_transposed(b_fragments[set][s], &stage.b[y][x ^ y % 8]);
        }
    };

    float sums[WARP_ROWS / 16][WARP_COLUMNS / 8][4] = {};
    int rounds = ceil_div(k, DEPTH);
#pragma unroll
    for (int round = 0; round < STAGES - 1; ++round) {
        load();
    }
    wait_for_oldest_stage();
    __syncthreads(); // The others' copies of the first stage are there.
    read(stages[0], 0, 0);
    int reading = 0;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            if (step == STEPS - 1) {
                wait_for_oldest_stage();
                __syncthreads(); // The next stage is there, and all threads have read this one.
                reading = reading + 1 == STAGES ? 0 : reading + 1;
            }
            read(stages[reading], (step + 1) % STEPS, (step + 1) % 2);
            if (step == 0) {
                load();
            }
#pragma unroll
            for (int r = 0; r < WARP_ROWS / 16; ++r) {
#pragma unroll
                for (int s = 0; s < WARP_COLUMNS / 8; ++s) {
                    const unsigned *right = &b_fragments[step % 2][s / 2][s % 2 * 2];
                    mma(sums[r][s], a_fragments[step % 2][r], right[0], right[1]);
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
