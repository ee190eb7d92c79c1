// Step 4: the asynchronous copies take 16 bytes each, where every row of a and b begins at a
// multiple of 16 bytes. A quarter of the threads then copy a tile of a, another quarter one of b,
// and the rest none. Other matrices are copied word by word, as in the solution.

#include "course.cuh"

LAUNCH_CONSTANT(TILE, 32);

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float tile_a[2][TILE][TILE];
    __shared__ float tile_b[2][TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;
    int rounds = ceil_div(k, TILE);

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
        float next_a = word_of_a(round + 1);
        float next_b = word_of_b(round + 1);
        for (int i = 0; i < TILE; ++i) {
            sum = fmaf(tile_a[now][y][i], tile_b[now][i][x], sum);
        }
        tile_a[1 - now][y][x] = next_a;
        tile_b[1 - now][y][x] = next_b;
        __syncthreads();
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}

// Words of a copy of 16 bytes.
constexpr int WORDS = 4;
// Threads that copy a tile in copies of 16 bytes.
constexpr int COPIERS = TILE * TILE / WORDS;

// Copies one word, or 4 from a multiple of 16 bytes to another, or as many zeros.
template <int COUNT>
__device__ __forceinline__ void copy(float *to, const float *from, bool there) {
#if __CUDA_ARCH__ >= 800
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    int bytes = there ? 4 * COUNT : 0;
    if constexpr (COUNT == WORDS) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from),
                     "r"(bytes)
                     : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from),
                     "r"(bytes)
                     : "memory");
    }
#else
    for (int word = 0; word < COUNT; ++word) {
        to[word] = there ? from[word] : 0.0f;
    }
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
    alignas(16) __shared__ float tile_a[2][TILE][TILE];
    alignas(16) __shared__ float tile_b[2][TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int thread = y * TILE + x;
    int first_row = blockIdx.y * TILE;
    int first_column = blockIdx.x * TILE;
    int rounds = ceil_div(k, TILE);
    // Then a row's words are there in fours or not at all.
    bool in_fours = k % WORDS == 0 && n % WORDS == 0;

    auto start = [&](int round) {
        int first = round * TILE;
        if (in_fours) {
            int words = thread % COPIERS * WORDS;
            int to_row = words / TILE;
            int to_column = words % TILE;
            if (thread < COPIERS) {
                int row = first_row + to_row;
                int i = first + to_column;
                copy<WORDS>(&tile_a[round % 2][to_row][to_column], &a[row * k + i],
                            row < m && i < k);
            } else if (thread < 2 * COPIERS) {
                int i = first + to_row;
                int column = first_column + to_column;
                copy<WORDS>(&tile_b[round % 2][to_row][to_column], &b[i * n + column],
                            i < k && column < n);
            }
        } else {
            int row = first_row + y;
            int column = first_column + x;
            copy<1>(&tile_a[round % 2][y][x], &a[row * k + first + x], row < m && first + x < k);
            copy<1>(&tile_b[round % 2][y][x], &b[(first + y) * n + column],
                    first + y < k && column < n);
        }
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
    int row = first_row + y;
    int column = first_column + x;
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}
