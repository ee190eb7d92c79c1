// Step 3: four warps start products of 64 x 256 by `wgmma`, which takes both factors straight from
// shared memory, and wait for them. No fragment passes through registers. A block computes 128 x
// 256.

#include <cuda.h>
#include <cuda_bf16.h>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_ROWS, 128);
LAUNCH_CONSTANT(BLOCK_COLUMNS, 256);
LAUNCH_CONSTANT(THREADS, 288);
LAUNCH_CONSTANT(SHARED_BYTES, 196608);
LAUNCH_CONSTANT(BLOCKS, 0);

constexpr int STAGES = 4;

// A barrier in shared memory. It counts threads that arrive, and bytes that copies bring.
using Barrier = unsigned long long;

__device__ __forceinline__ unsigned shared_address(const void *in_shared) {
    return static_cast<unsigned>(__cvta_generic_to_shared(in_shared));
}

// Makes a barrier at which `arrivals` threads arrive in each phase.
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

// Waits until the phase of this parity is over.
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

// Starts the copy of the box at this row and column of the map's matrix.
__device__ __forceinline__ void copy_box(void *to, const CUtensorMap &map, int row, int column,
                                         Barrier &barrier) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
        "l"(&map), "r"(column), "r"(row), "r"(shared_address(&barrier))
        : "memory");
}

// Says where boxes lie, and that their chunks are swizzled within 128 bytes. Blocks of 8 rows are
// `stride` bytes apart. Where columns are multiplied side by side, the next 64 are `leading` bytes on.
__device__ __forceinline__ unsigned long long describe(const void *boxes, int leading, int stride) {
    unsigned long long address = shared_address(boxes) >> 4 & 0x3FFF;
    unsigned long long apart = static_cast<unsigned>(leading) >> 4;
    unsigned long long blocks = static_cast<unsigned>(stride) >> 4;
    return address | apart << 16 | blocks << 32 | 1ULL << 62;
}

#define SUMS_8(i)                                                                              \
    "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), "+f"(sums[i + 4]), \
        "+f"(sums[i + 5]), "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8(i + 8), SUMS_8(i + 16), SUMS_8(i + 24)

// Starts sums += a * b, of 64 x 16 by 16 x 256, by the 128 threads of four warps. Warp w has rows 16 *
// w to 16 * w + 15: sums[4 * j] and the next three are as those of the mma for columns 8 * j on.
__device__ __forceinline__ void start_product(float (&sums)[128], unsigned long long a,
                                              unsigned long long b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
        "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
        "%28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
        "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "
        "%56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, "
        "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, "
        "%84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, "
        "%98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, "
        "%126, %127}, "
        "%128, %129, 1, 1, 1, 0, 1;"
        : SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96)
        : "l"(a), "l"(b));
}

// What the threads have written to sums is there before the next product begins.
__device__ __forceinline__ void before_products() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// Makes a group of the products that were started since the last group.
__device__ __forceinline__ void end_of_products() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until all products are over: sums may be used then, and shared memory overwritten.
__device__ __forceinline__ void wait_for_products() {
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

extern "C" __global__ void __launch_bounds__(THREADS)
    multiply(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
             float *c, int m, int n, int k) {
    // Four warps compute 64 x 256.
    constexpr int GROUP_ROWS = 64;
    constexpr int CONSUMERS = BLOCK_ROWS / GROUP_ROWS * 4;
    static_assert(BLOCK_COLUMNS == 256, "a product has 256 columns");
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

    int group = warp / 4;
    float sums[128] = {};
    for (int round = 0; round < rounds; ++round) {
        wait(full[stage], parity);
        unsigned long long from_a = describe(stages[stage].a[group * GROUP_ROWS], 16, 1024);
        unsigned long long from_b = describe(stages[stage].b, sizeof stages[stage].b[0], 1024);
        before_products();
#pragma unroll
        for (int i = 0; i < DEPTH; i += 16) {
            // 16 steps along k are 32 bytes of a's rows, and 16 of b's rows.
            start_product(sums, from_a + (i * 2 >> 4), from_b + (i * 128 >> 4));
        }
        end_of_products();
        wait_for_products();
        if (lane == 0) {
            arrive(empty[stage]);
        }
        next();
    }

#pragma unroll
    for (int i = 0; i < 128; i += 2) {
        int y = top + group * GROUP_ROWS + warp % 4 * 16 + i / 2 % 2 * 8 + lane / 4;
        int x = left + i / 4 * 8 + lane % 4 * 2;
        if (y < m && x < n) {
            *reinterpret_cast<float2 *>(&c[y * n + x]) = float2{sums[i], sums[i + 1]};
        }
    }
}
