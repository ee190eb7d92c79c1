//! style: cooperative groups for the block, fmaf, and the tile of a read four words at a time.

#include <cooperative_groups.h>

#include "course.cuh"

LAUNCH_CONSTANT(TILE, 16);

namespace cg = cooperative_groups;

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float tile_a[2][TILE][TILE], tile_b[2][TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;
    auto from_a = [&](int first) {
        return row < m && first + x < k ? a[row * k + first + x] : 0.0f;
    };
    auto from_b = [&](int first) {
        return first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
    };
    tile_a[0][y][x] = from_a(0);
    tile_b[0][y][x] = from_b(0);
    cg::this_thread_block().sync();
    float sum = 0.0f;
    int turn = 0;
    for (int first = 0; first < k; first += TILE) {
        bool more = first + TILE < k;
        float next_a = more ? from_a(first + TILE) : 0.0f;
        float next_b = more ? from_b(first + TILE) : 0.0f;
        for (int i = 0; i < TILE; ++i) {
            sum += tile_a[turn][y][i] * tile_b[turn][i][x];
        }
        turn = 1 - turn;
        tile_a[turn][y][x] = next_a;
        tile_b[turn][y][x] = next_b;
        cg::this_thread_block().sync();
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}

// Copies a word from global to shared memory, or a zero if the word isn't `there` (then nothing is
// read). From compute capability 8.0 on, the copy is only under way when this returns. Older GPUs
// have no such copies and copy the word at once.
__device__ __forceinline__ void copy(float *to, const float *from, bool there) {
#if __CUDA_ARCH__ >= 800
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    int bytes = there ? 4 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from),
                 "r"(bytes)
                 : "memory");
#else
    *to = there ? *from : 0.0f;
#endif
}

// Makes a group of the copies that this thread has started since its last group.
__device__ __forceinline__ void end_of_group() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until the groups of *this thread* are complete, but for the last LEFT of them.
template <int LEFT> __device__ __forceinline__ void wait_for_groups() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
}

extern "C" __global__ void multiply_async(const float *a, const float *b, float *c, int m, int n,
                                          int k) {
    __shared__ __align__(16) float tile_a[2][TILE][TILE];
    __shared__ float tile_b[2][TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;
    auto start = [&](int turn, int first) {
        bool a_there = row < m && first + x < k;
        bool b_there = first + y < k && column < n;
        copy(&tile_a[turn][y][x], a_there ? &a[row * k + first + x] : a, a_there);
        copy(&tile_b[turn][y][x], b_there ? &b[(first + y) * n + column] : b, b_there);
        end_of_group();
    };
    start(0, 0);
    float sum = 0.0f;
    for (int first = 0, turn = 0; first < k; first += TILE, turn = 1 - turn) {
        wait_for_groups<0>();
        cg::sync(cg::this_thread_block());
        if (first + TILE < k) {
            start(1 - turn, first + TILE);
        }
        for (int i = 0; i < TILE; i += 4) {
            float4 four = *reinterpret_cast<const float4 *>(&tile_a[turn][y][i]);
            sum = fmaf(four.x, tile_b[turn][i][x], sum);
            sum = fmaf(four.y, tile_b[turn][i + 1][x], sum);
            sum = fmaf(four.z, tile_b[turn][i + 2][x], sum);
            sum = fmaf(four.w, tile_b[turn][i + 3][x], sum);
        }
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}
