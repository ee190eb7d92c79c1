//! fails: global_load_sectors, busiest_block_load_sectors, global_atomic_requests
//! why: an atomic that changes nothing is a load, and every thread makes two such loads for each
//! product.

#include "course.cuh"

// The side of a tile, yours to choose: a multiple of 8 from 8 to 32.
LAUNCH_CONSTANT(TILE, 32);

// Reads by an atomic that changes nothing.
__device__ float read(const float *from) { return atomicAdd(const_cast<float *>(from), 0.0f); }

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    if (row < m && column < n) {
        float sum = 0.0f;
        for (int i = 0; i < k; ++i) {
            sum = fmaf(read(&a[row * k + i]), read(&b[i * n + column]), sum);
        }
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

    float sum = 0.0f;
    for (int round = 0; round < rounds; ++round) {
        wait_for_groups<0>(); // My copies of this round are complete,
        __syncthreads();      // and so are the others'; all have left the last round's tiles.
        if (round + 1 < rounds) {
            start(round + 1);
        }
        int now = round % 2;
        for (int i = 0; i < TILE; ++i) {
            sum = fmaf(tile_a[now][y][i], tile_b[now][i][x], sum);
        }
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}
