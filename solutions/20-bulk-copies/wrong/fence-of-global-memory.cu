//! fails: clean/race
//! may fail: correct
//! why: `fence.proxy.async.global` hands over accesses to global memory, and the tiles lie in shared
//! memory.

#include <cuda.h>
#include <cuda_bf16.h>

#include "course.cuh"

// Yours to choose: BLOCK_ROWS and BLOCK_COLUMNS multiples of 64 from 64 to 256, THREADS a multiple of
// 32 from 64 to 1024, SHARED_BYTES up to 231424 (an array of 1024-byte alignment), BLOCKS from 0 to
// 1024.
LAUNCH_CONSTANT(BLOCK_ROWS, 128);
LAUNCH_CONSTANT(BLOCK_COLUMNS, 192);
LAUNCH_CONSTANT(THREADS, 288);
LAUNCH_CONSTANT(SHARED_BYTES, 204800);
LAUNCH_CONSTANT(BLOCKS, 0);

constexpr int STAGES = 5;

// A barrier in shared memory. It counts threads that arrive, and bytes that copies bring. When all
// have come, a phase is over and the next one begins. Phases have parity 0, 1, 0, 1, and so on.
using Barrier = unsigned long long;

__device__ __forceinline__ unsigned shared_address(const void *in_shared) {
    return static_cast<unsigned>(__cvta_generic_to_shared(in_shared));
}

// Makes a barrier at which `arrivals` threads arrive in each phase. One thread does this, once.
__device__ __forceinline__ void make(Barrier &barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)),
                 "r"(arrivals)
                 : "memory");
    // Copies see it only after this fence.
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// This thread arrives.
__device__ __forceinline__ void arrive(Barrier &barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier))
                 : "memory");
}

// This thread arrives, and this phase also waits for `bytes` bytes of copies.
__device__ __forceinline__ void arrive_and_expect(Barrier &barrier, int bytes) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)),
        "r"(bytes)
        : "memory");
}

// Waits until the phase of this parity is over. A new barrier is in a phase of parity 0, and the
// phase before counts as over.
__device__ __forceinline__ void wait(Barrier &barrier, int parity) {
    unsigned is_over;
    do {
        asm volatile(
            "{\n"
            ".reg .pred over;\n"
            "mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;\n"
            "selp.u32 %0, 1, 0, over;\n"
            "}"
            : "=r"(is_over)
            : "r"(shared_address(&barrier)), "r"(parity)
            : "memory");
    } while (!is_over);
}

// Starts the copy of the box whose upper left element is in this row and column of the map's matrix.
// Its bytes count at the barrier as they come, the bytes of zeros, too.
__device__ __forceinline__ void copy_box(void *to, const CUtensorMap &map, int row, int column,
                                         Barrier &barrier) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
        "l"(&map), "r"(column), "r"(row), "r"(shared_address(&barrier))
        : "memory");
}

// This thread's reads and writes of shared memory are over before copies that begin later.
__device__ __forceinline__ void hand_over_to_copies() {
    asm volatile("fence.proxy.async.global;" ::: "memory");
}

// Reads four 8 x 8 matrices, as in 19-tensor-cores. Lane 8 * j + r gives the address of row r of
// matrix j: 16 bytes, at a multiple of 16.
__device__ __forceinline__ void ldmatrix(unsigned (&to)[4], const void *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

// Does the same with each matrix transposed.
__device__ __forceinline__ void ldmatrix_transposed(unsigned (&to)[4], const void *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

// sums += a * b, of 16 x 16 by 16 x 8. Which lane holds what: see 19-tensor-cores.
__device__ __forceinline__ void mma(float (&sums)[4], const unsigned (&a)[4], unsigned b_upper,
                                    unsigned b_lower) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_upper), "r"(b_lower));
}

extern "C" __global__ void __launch_bounds__(THREADS)
    multiply(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
             float *c, int m, int n, int k) {
    // >>> your code: a ring of stages, a producer and consumers
    // A warp computes 64 x 48: 4 x 6 products of 16 x 16 by 16 x 8.
    constexpr int WARP_ROWS = 64;
    constexpr int WARP_COLUMNS = 48;
    constexpr int WARPS_ACROSS = BLOCK_COLUMNS / WARP_COLUMNS;
    constexpr int CONSUMERS = BLOCK_ROWS / WARP_ROWS * WARPS_ACROSS;
    static_assert((CONSUMERS + 1) * 32 == THREADS,
                  "consumers must cover the tile, and one produces");
    // A box has 64 numbers in a row, which are 8 chunks of 16 bytes. b's tile is several boxes.
    constexpr int DEPTH = 64;
    struct Stage {
        uint4 a[BLOCK_ROWS][8];
        uint4 b[BLOCK_COLUMNS / 64][DEPTH][8];
    };
    static_assert(sizeof(Stage) * STAGES <= SHARED_BYTES, "the stages must fit the pool");
    extern __shared__ __align__(1024) char pool[];
    Stage *stages = reinterpret_cast<Stage *>(pool);
    __shared__ Barrier full[STAGES];
    __shared__ Barrier empty[STAGES];
    int across = ceil_div(n, BLOCK_COLUMNS);
    int top = static_cast<int>(blockIdx.x) / across * BLOCK_ROWS;
    int left = static_cast<int>(blockIdx.x) % across * BLOCK_COLUMNS;
    int rounds = ceil_div(k, DEPTH);
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;

    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; ++stage) {
            make(full[stage], 1);          // The producer arrives, and its bytes.
            make(empty[stage], CONSUMERS); // One lane of each consumer arrives.
        }
    }
    __syncthreads(); // The barriers are there.

    // Both roles walk around the ring alike. At each turn the parity changes.
    int stage = 0;
    int parity = 0;
    auto next = [&]() {
        ++stage;
        if (stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    };

    if (warp == CONSUMERS) {
        if (lane == 0) {
            for (int round = 0; round < rounds; ++round) {
                // In the first turn no phase is over, and the phase before the first counts as
                // over.
                wait(empty[stage], parity ^ 1);
                arrive_and_expect(full[stage], sizeof(Stage));
                copy_box(stages[stage].a, map_a, top, round * DEPTH, full[stage]);
                for (int box = 0; box < BLOCK_COLUMNS / 64; ++box) {
                    copy_box(stages[stage].b[box], map_b, round * DEPTH, left + 64 * box,
                             full[stage]);
                }
                next();
            }
        }
        return;
    }

    int row = warp / WARPS_ACROSS * WARP_ROWS;
    int column = warp % WARPS_ACROSS * WARP_COLUMNS;
    float sums[WARP_ROWS / 16][WARP_COLUMNS / 8][4] = {};
    for (int round = 0; round < rounds; ++round) {
        wait(full[stage], parity);
        const Stage &tiles = stages[stage];
#pragma unroll
        for (int i = 0; i < DEPTH; i += 16) {
            unsigned from_a[WARP_ROWS / 16][4];
            unsigned from_b[WARP_COLUMNS / 16][4];
#pragma unroll
            for (int r = 0; r < WARP_ROWS / 16; ++r) {
                int y = row + 16 * r + lane % 16;
                ldmatrix(from_a[r], &tiles.a[y][(i / 8 + lane / 16) ^ y % 8]);
            }
#pragma unroll
            for (int s = 0; s < WARP_COLUMNS / 16; ++s) {
                int y = i + lane % 16;
                int x = (column + 16 * s) / 8 + lane / 16;
                ldmatrix_transposed(from_b[s], &tiles.b[x / 8][y][x % 8 ^ y % 8]);
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
        hand_over_to_copies();
        __syncwarp(); // All lanes have read the stage.
        if (lane == 0) {
            arrive(empty[stage]);
        }
        next();
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
    // <<<
}
