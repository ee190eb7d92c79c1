//! fails: barriers
//! why: this is the tiled kernel of 08: it loads nothing while it multiplies, and each tile takes
//! two barriers.

#include "course.cuh"

LAUNCH_CONSTANT(TILE, 32);

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;

    float sum = 0.0f;
    for (int first = 0; first < k; first += TILE) {
        tile_a[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
        tile_b[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; ++i) {
            sum = fmaf(tile_a[y][i], tile_b[i][x], sum);
        }
        __syncthreads();
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}

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

__device__ __forceinline__ void end_of_group() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

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
        wait_for_groups<0>();
        __syncthreads();
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
