//! fails: shared_store_requests
//! may fail: speedup
//! why: each tile is waited for before it is multiplied. What is under way meanwhile are copies of
//! zero bytes to an array that no thread reads.

#include "course.cuh"

// The side of a tile, yours to choose: a multiple of 8 from 8 to 32.
LAUNCH_CONSTANT(TILE, 32);

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    // >>> step 1: the next tile's words wait in registers while this tile is multiplied
    __shared__ float tile_a[2][TILE][TILE];
    __shared__ float tile_b[2][TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;
    int rounds = ceil_div(k, TILE);

    // This thread's words of a round's tiles. Beyond the last round there are only zeros.
    auto word_of_a = [&](int round) {
        int i = round * TILE + x;
        return row < m && i < k ? a[row * k + i] : 0.0f;
    };
    auto word_of_b = [&](int round) {
        int i = round * TILE + y;
        return i < k && column < n ? b[i * n + column] : 0.0f;
    };
    tile_a[0][y][x] = word_of_a(0);
    tile_b[0][y][x] = word_of_b(0);
    __syncthreads();

    float sum = 0.0f;
    for (int round = 0; round < rounds; ++round) {
        int now = round % 2;
        // The reads start here; the thread waits for them only where it stores their values.
        float next_a = word_of_a(round + 1);
        float next_b = word_of_b(round + 1);
        for (int i = 0; i < TILE; ++i) {
            sum = fmaf(tile_a[now][y][i], tile_b[now][i][x], sum);
        }
        // All threads left these tiles before the last barrier.
        tile_a[1 - now][y][x] = next_a;
        tile_b[1 - now][y][x] = next_b;
        __syncthreads();
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
    // <<<
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
    // >>> step 2: copies go straight to shared memory
    __shared__ float tile_a[2][TILE][TILE];
    __shared__ float tile_b[2][TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;
    int rounds = ceil_div(k, TILE);

    auto start = [&](int round) {
        int first = round * TILE;
        copy(&tile_a[round % 2][y][x], &a[row * k + first + x], row < m && first + x < k);
        copy(&tile_b[round % 2][y][x], &b[(first + y) * n + column], first + y < k && column < n);
        end_of_group();
    };
    start(0);
    wait_for_groups<0>();

    float sum = 0.0f;
    for (int round = 0; round < rounds; ++round) {
        __syncthreads();
        if (round + 1 < rounds) {
            start(round + 1);
        }
        __shared__ float dummy[TILE][TILE];
        copy(&dummy[y][x], a, false);
        end_of_group();
        wait_for_groups<1>();
        int now = round % 2;
        for (int i = 0; i < TILE; ++i) {
            sum = fmaf(tile_a[now][y][i], tile_b[now][i][x], sum);
        }
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
    // <<<
}
