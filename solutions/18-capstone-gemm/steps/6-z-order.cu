// Step 6: a warp's lanes form a rectangle of 4 x 8, in Z order. The hardware serves 16-byte reads by
// quarter-warps, but serves two quarters at once if every lane of both reads what its neighbour
// reads (lane xor 1, or lane xor 2). In Z order that holds for the reads of both tiles, which take
// half the wavefronts.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_ROWS, 128);
LAUNCH_CONSTANT(BLOCK_COLUMNS, 128);
LAUNCH_CONSTANT(DEPTH, 8);
LAUNCH_CONSTANT(THREADS, 256);
LAUNCH_CONSTANT(SHARED_BYTES, 16640);

constexpr int STAGES = 2;
constexpr int THREAD_ROWS = 8;
constexpr int THREAD_COLUMNS = 8;

constexpr int VECTOR = 4;
constexpr int LANE_ROWS = 4;
constexpr int LANE_COLUMNS = 8;
constexpr int WARP_ROWS = LANE_ROWS * THREAD_ROWS;
constexpr int WARP_COLUMNS = LANE_COLUMNS * THREAD_COLUMNS;
constexpr int WARPS_ACROSS = BLOCK_COLUMNS / WARP_COLUMNS;
static_assert(BLOCK_ROWS / WARP_ROWS * WARPS_ACROSS * 32 == THREADS,
              "the warps must cover the block's tile");

// One round's tiles. a's tile is turned round, so that a thread's rows lie side by side; four words
// of padding keep the copies of a warp, 8 along k by 4 rows, in 32 different banks.
struct Stage {
    float a[DEPTH][BLOCK_ROWS + VECTOR];
    float b[DEPTH][BLOCK_COLUMNS];
};
static_assert(sizeof(Stage) * STAGES <= SHARED_BYTES, "the stages must fit the pool");

// Copies BYTES bytes to shared memory, or zeros if there is nothing to copy. The copy is under way
// when this returns.
template <int BYTES>
__device__ __forceinline__ void copy(float *to, const float *from, bool there) {
#if __CUDA_ARCH__ >= 800
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    int bytes = there ? BYTES : 0;
    if (BYTES == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from),
                     "r"(bytes)
                     : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from),
                     "r"(bytes)
                     : "memory");
    }
#else
    for (int i = 0; i < BYTES / 4; ++i) {
        to[i] = there ? from[i] : 0.0f;
    }
#endif
}

__device__ __forceinline__ void end_of_stage() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until all but the last STAGES - 2 stages that this thread has copied for are complete.
__device__ __forceinline__ void wait_for_oldest_stage() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
#endif
}

// ALIGNED: rows of b and c begin at multiples of 16 bytes.
template <bool ALIGNED>
__device__ __forceinline__ void product(Stage *stages, const float *a, const float *b, float *c,
                                        int m, int n, int k) {
    int thread = threadIdx.x;
    int lane = thread % 32;
    int warp = thread / 32;
    int top = blockIdx.y * BLOCK_ROWS;
    int left = blockIdx.x * BLOCK_COLUMNS;

    constexpr int A_STEP = THREADS / 8;
    constexpr int B_VECTORS = BLOCK_COLUMNS / VECTOR;
    constexpr int B_STEP = THREADS / B_VECTORS;
    static_assert(THREADS % B_VECTORS == 0 && BLOCK_ROWS % A_STEP == 0 && DEPTH % B_STEP == 0,
                  "each thread copies as much");
    // a: a warp takes whole sectors, 8 words of each of 4 rows. b: neighbouring lanes take
    // neighbouring vectors.
    int a_row = warp * 4 + lane / 8;
    int a_along = lane % 8;
    int b_along = thread / B_VECTORS;
    int b_column = thread % B_VECTORS * VECTOR;
    const float *a_from = a + (top + a_row) * k + a_along;
    const float *b_from = b + b_along * n + left + b_column;
    int a_rows_left = m - top - a_row;
    int b_columns_left = n - left - b_column;

    auto load = [&](Stage &stage, int first) {
#pragma unroll
        for (int j = 0; j < BLOCK_ROWS / A_STEP; ++j) {
#pragma unroll
            for (int i = 0; i < DEPTH; i += 8) {
                copy<4>(&stage.a[a_along + i][a_row + j * A_STEP], a_from + j * A_STEP * k + i,
                        j * A_STEP < a_rows_left && first + a_along + i < k);
            }
        }
#pragma unroll
        for (int j = 0; j < DEPTH / B_STEP; ++j) {
            const float *from = b_from + j * B_STEP * n;
            float *to = &stage.b[b_along + j * B_STEP][b_column];
            bool there = first + b_along + j * B_STEP < k;
            if (ALIGNED) {
                copy<16>(to, from, there && 0 < b_columns_left);
            } else {
                // Neighbouring lanes take neighbouring words: each thread takes as many, and no
                // word is taken twice.
#pragma unroll
                for (int i = 0; i < VECTOR; ++i) {
                    int right = b_column / VECTOR + i * B_VECTORS - b_column;
                    copy<4>(to + right, from + right, there && right < b_columns_left);
                }
            }
        }
        a_from += DEPTH;
        b_from += DEPTH * n;
    };

    // This thread's rows and columns: groups of VECTOR, so that a warp reads contiguous vectors.
    int lane_row = (lane >> 1 & 1) | (lane >> 2 & 2);
    int lane_column = (lane & 1) | (lane >> 1 & 2) | (lane >> 2 & 4);
    int row = warp / WARPS_ACROSS * WARP_ROWS + lane_row * VECTOR;
    int column = warp % WARPS_ACROSS * WARP_COLUMNS + lane_column * VECTOR;
    float sums[THREAD_ROWS][THREAD_COLUMNS] = {};

    int rounds = ceil_div(k, DEPTH);
#pragma unroll
    for (int round = 0; round < STAGES - 1; ++round) {
        if (round < rounds) {
            load(stages[round], round * DEPTH);
        }
        end_of_stage();
    }
    int now = 0;
    int next = STAGES - 1;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        wait_for_oldest_stage();
        __syncthreads();
        if (round + STAGES - 1 < rounds) {
            load(stages[next], (round + STAGES - 1) * DEPTH);
        }
        end_of_stage();

        const Stage &stage = stages[now];
#pragma unroll
        for (int i = 0; i < DEPTH; ++i) {
            float from_a[THREAD_ROWS];
            float from_b[THREAD_COLUMNS];
#pragma unroll
            for (int r = 0; r < THREAD_ROWS; r += VECTOR) {
                *reinterpret_cast<float4 *>(&from_a[r]) =
                    *reinterpret_cast<const float4 *>(&stage.a[i][row + r * LANE_ROWS]);
            }
#pragma unroll
            for (int s = 0; s < THREAD_COLUMNS; s += VECTOR) {
                *reinterpret_cast<float4 *>(&from_b[s]) =
                    *reinterpret_cast<const float4 *>(&stage.b[i][column + s * LANE_COLUMNS]);
            }
#pragma unroll
            for (int r = 0; r < THREAD_ROWS; ++r) {
#pragma unroll
                for (int s = 0; s < THREAD_COLUMNS; ++s) {
                    sums[r][s] = fmaf(from_a[r], from_b[s], sums[r][s]);
                }
            }
        }
        now = now + 1 == STAGES ? 0 : now + 1;
        next = next + 1 == STAGES ? 0 : next + 1;
    }

#pragma unroll
    for (int r = 0; r < THREAD_ROWS; ++r) {
        int y = top + row + r / VECTOR * (LANE_ROWS * VECTOR) + r % VECTOR;
#pragma unroll
        for (int s = 0; s < THREAD_COLUMNS; s += VECTOR) {
            int x = left + column + s * LANE_COLUMNS;
            if (ALIGNED) {
                if (y < m && x < n) {
                    *reinterpret_cast<float4 *>(&c[y * n + x]) =
                        *reinterpret_cast<float4 *>(&sums[r][s]);
                }
            } else {
#pragma unroll
                for (int i = 0; i < VECTOR; ++i) {
                    if (y < m && x + i < n) {
                        c[y * n + x + i] = sums[r][s + i];
                    }
                }
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    extern __shared__ __align__(16) char pool[];
    Stage *stages = reinterpret_cast<Stage *>(pool);
    if (n % VECTOR == 0) {
        product<true>(stages, a, b, c, m, n, k);
    } else {
        product<false>(stages, a, b, c, m, n, k);
    }
}
