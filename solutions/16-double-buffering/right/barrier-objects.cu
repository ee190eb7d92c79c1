//! style: copies that arrive at barrier objects, one for each tile; the block waits there.

#include <cuda/barrier>

#include "course.cuh"

LAUNCH_CONSTANT(TILE, 32);

using Barrier = cuda::barrier<cuda::thread_scope_block>;

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
    __syncthreads();
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
        __syncthreads();
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}

extern "C" __global__ void multiply_async(const float *a, const float *b, float *c, int m, int n,
                                          int k) {
    __shared__ float tile_a[2][TILE][TILE], tile_b[2][TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier arrived[2];
    if (x == 0 && y == 0) {
        init(&arrived[0], TILE * TILE);
        init(&arrived[1], TILE * TILE);
    }
    __syncthreads();
    auto start = [&](int turn, int first) {
        if (row < m && first + x < k) {
            cuda::memcpy_async(&tile_a[turn][y][x], &a[row * k + first + x], sizeof(float),
                               arrived[turn]);
        } else {
            tile_a[turn][y][x] = 0.0f;
        }
        if (first + y < k && column < n) {
            cuda::memcpy_async(&tile_b[turn][y][x], &b[(first + y) * n + column], sizeof(float),
                               arrived[turn]);
        } else {
            tile_b[turn][y][x] = 0.0f;
        }
    };
    start(0, 0);
    float sum = 0.0f;
    for (int first = 0, turn = 0; first < k; first += TILE, turn = 1 - turn) {
        // A thread that arrives here has multiplied the tile before, which is filled next.
        arrived[turn].arrive_and_wait();
        if (first + TILE < k) {
            start(1 - turn, first + TILE);
        }
        for (int i = 0; i < TILE; ++i) {
            sum += tile_a[turn][y][i] * tile_b[turn][i][x];
        }
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}
