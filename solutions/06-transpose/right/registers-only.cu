//! style: no shared memory: each warp turns 32 x 32 words round in registers, by shuffles.

#include "course.cuh"

LAUNCH_CONSTANT(TILE_SIDE, 32);
LAUNCH_CONSTANT(BLOCK_WIDTH, 32);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 1);

// Exchanges, for every pair of rows that are DISTANCE apart, the off-diagonal halves.
template <int DISTANCE> __device__ __forceinline__ void exchange(float (&rows)[32], int lane) {
    bool upper = lane & DISTANCE;
#pragma unroll
    for (int row = 0; row < 32; ++row) {
        if ((row & DISTANCE) == 0) {
            float &first = rows[row];
            float &second = rows[row + DISTANCE];
            float got = __shfl_xor_sync(0xffffffff, upper ? first : second, DISTANCE);
            (upper ? first : second) = got;
        }
    }
}

extern "C" __global__ void transpose(const float *in, float *out, int width, int height) {
    int left = blockIdx.x * TILE_SIDE;
    int top = blockIdx.y * TILE_SIDE;
    int lane = threadIdx.x;
    float rows[32];
#pragma unroll
    for (int row = 0; row < 32; ++row) {
        bool there = top + row < height && left + lane < width;
        rows[row] = there ? in[(top + row) * width + left + lane] : 0.0f;
    }
    exchange<16>(rows, lane);
    exchange<8>(rows, lane);
    exchange<4>(rows, lane);
    exchange<2>(rows, lane);
    exchange<1>(rows, lane);
#pragma unroll
    for (int row = 0; row < 32; ++row) {
        if (left + row < width && top + lane < height) {
            out[(left + row) * height + top + lane] = rows[row];
        }
    }
}
