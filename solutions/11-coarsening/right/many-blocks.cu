//! style: as many blocks as are allowed, of the fewest threads; warps combine by shuffles.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 64);
LAUNCH_CONSTANT(MOST_BLOCKS, 65535);

constexpr int VECTOR = 4;

__device__ float warp_max(float value) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        value = fmaxf(value, __shfl_down_sync(0xffffffff, value, distance));
    }
    return value;
}

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    __shared__ float of_warp[BLOCK_SIZE / 32];
    const size_t thread = static_cast<size_t>(blockIdx.x) * BLOCK_SIZE + threadIdx.x;
    const size_t threads = static_cast<size_t>(gridDim.x) * BLOCK_SIZE;
    const int head =
        min(n, static_cast<int>(-reinterpret_cast<size_t>(in) % sizeof(float4) / sizeof(float)));
    const int vectors = (n - head) / VECTOR;
    const int tail = head + vectors * VECTOR;
    const float4 *middle = reinterpret_cast<const float4 *>(in + head);

    float largest = -INFINITY;
    for (size_t i = thread; i < vectors; i += threads) {
        float4 words = __ldcs(&middle[i]);
        largest = fmaxf(fmaxf(fmaxf(words.x, words.y), fmaxf(words.z, words.w)), largest);
    }
    if (thread < head) {
        largest = fmaxf(largest, in[thread]);
    }
    if (thread < n - tail) {
        largest = fmaxf(largest, in[tail + thread]);
    }

    largest = warp_max(largest);
    if (threadIdx.x % 32 == 0) {
        of_warp[threadIdx.x / 32] = largest;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < BLOCK_SIZE / 32; ++warp) {
            largest = fmaxf(largest, of_warp[warp]);
        }
        out[blockIdx.x] = largest;
    }
}
