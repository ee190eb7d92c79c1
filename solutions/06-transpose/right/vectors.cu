//! style: float4 on both sides where all rows begin at multiples of four words, single words elsewhere.

#include "course.cuh"

LAUNCH_CONSTANT(TILE_SIDE, 32);
LAUNCH_CONSTANT(BLOCK_WIDTH, 8);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 8);

constexpr int VECTOR = 4;
constexpr int THREADS = BLOCK_WIDTH * BLOCK_HEIGHT;
static_assert(TILE_SIDE == VECTOR * BLOCK_WIDTH && TILE_SIDE == VECTOR * BLOCK_HEIGHT);

// A thread reads and writes 4 x 4 words; squares change hands through shared memory.
__device__ void by_vectors(float4 *tile, const float *in, float *out, int width, int height) {
    int x = threadIdx.x;
    int y = threadIdx.y;
    int left = blockIdx.x * TILE_SIDE;
    int top = blockIdx.y * TILE_SIDE;
    // The row's bits in reverse, so that neighbouring rows are far apart where few columns are read.
    auto place = [](int part, int row, int column) {
        int reversed = (row & 1) << 2 | (row & 2) | (row & 4) >> 2;
        return (part * BLOCK_HEIGHT + row) * BLOCK_WIDTH + (column ^ reversed);
    };
    float4 rows[VECTOR];
#pragma unroll
    for (int i = 0; i < VECTOR; ++i) {
        int row = top + VECTOR * y + i;
        int column = left + VECTOR * x;
        bool there = row < height && column < width;
        rows[i] = there ? *reinterpret_cast<const float4 *>(&in[row * width + column]) : float4{};
    }
    tile[place(0, y, x)] = make_float4(rows[0].x, rows[1].x, rows[2].x, rows[3].x);
    tile[place(1, y, x)] = make_float4(rows[0].y, rows[1].y, rows[2].y, rows[3].y);
    tile[place(2, y, x)] = make_float4(rows[0].z, rows[1].z, rows[2].z, rows[3].z);
    tile[place(3, y, x)] = make_float4(rows[0].w, rows[1].w, rows[2].w, rows[3].w);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < VECTOR; ++i) {
        int row = left + VECTOR * y + i;
        int column = top + VECTOR * x;
        float4 turned = tile[place(i, x, y)];
        if (row < width && column < height) {
            *reinterpret_cast<float4 *>(&out[row * height + column]) = turned;
        }
    }
}

// A warp goes along rows of 32 words.
__device__ void by_words(float *tile, const float *in, float *out, int width, int height) {
    int lane = (threadIdx.y * BLOCK_WIDTH + threadIdx.x) % 32;
    int warp = (threadIdx.y * BLOCK_WIDTH + threadIdx.x) / 32;
    int left = blockIdx.x * TILE_SIDE;
    int top = blockIdx.y * TILE_SIDE;
    for (int y = warp; y < TILE_SIDE; y += THREADS / 32) {
        if (top + y < height && left + lane < width) {
            tile[y * (TILE_SIDE + 1) + lane] = in[(top + y) * width + left + lane];
        }
    }
    __syncthreads();
    for (int y = warp; y < TILE_SIDE; y += THREADS / 32) {
        if (left + y < width && top + lane < height) {
            out[(left + y) * height + top + lane] = tile[lane * (TILE_SIDE + 1) + y];
        }
    }
}

extern "C" __global__ void transpose(const float *in, float *out, int width, int height) {
    __shared__ float4 memory[TILE_SIDE * (TILE_SIDE + 1) / VECTOR];
    size_t misaligned =
        (reinterpret_cast<size_t>(in) | reinterpret_cast<size_t>(out)) % sizeof(float4);
    if (width % VECTOR == 0 && height % VECTOR == 0 && misaligned == 0) {
        by_vectors(memory, in, out, width, height);
    } else {
        by_words(reinterpret_cast<float *>(memory), in, out, width, height);
    }
}
