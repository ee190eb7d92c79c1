//! style: one template for both kernels: a policy says how a word gets into the tile.

#include "course.cuh"

LAUNCH_CONSTANT(TILE, 24);

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

// A word waits in a register until the tile before is multiplied.
struct ThroughRegisters {
    float word;
    __device__ void start(float *, const float *from, bool there) { word = there ? *from : 0.0f; }
    __device__ void finish(float *to) { *to = word; }
};

// A word goes straight to the tile.
struct Asynchronously {
    __device__ void start(float *to, const float *from, bool there) { copy(to, from, there); }
    __device__ void finish(float *) {
        end_of_group();
        wait_for_groups<0>();
    }
};

template <typename Way>
__device__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float tiles[2][2][TILE][TILE];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int row = blockIdx.y * TILE + y;
    const int column = blockIdx.x * TILE + x;
    Way way_a, way_b;
    auto start = [&](int turn, int first) {
        bool a_there = row < m && first + x < k;
        bool b_there = first + y < k && column < n;
        way_a.start(&tiles[turn][0][y][x], a_there ? a + row * k + first + x : a, a_there);
        way_b.start(&tiles[turn][1][y][x], b_there ? b + (first + y) * n + column : b, b_there);
    };
    auto finish = [&](int turn) {
        way_a.finish(&tiles[turn][0][y][x]);
        way_b.finish(&tiles[turn][1][y][x]);
        __syncthreads();
    };
    start(0, 0);
    finish(0);
    float sum = 0.0f;
    for (int first = 0, turn = 0; first < k; first += TILE, turn ^= 1) {
        const bool more = first + TILE < k;
        if (more) {
            start(turn ^ 1, first + TILE);
        }
        for (int i = 0; i < TILE; ++i) {
            sum += tiles[turn][0][y][i] * tiles[turn][1][i][x];
        }
        if (more) {
            finish(turn ^ 1);
        }
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    product<ThroughRegisters>(a, b, c, m, n, k);
}

extern "C" __global__ void multiply_async(const float *a, const float *b, float *c, int m, int n,
                                          int k) {
    product<Asynchronously>(a, b, c, m, n, k);
}
