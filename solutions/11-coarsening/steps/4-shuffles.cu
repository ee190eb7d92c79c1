// Step 4: the loads are the same, but more are on their way at once, and shuffles replace the tree.

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024, and how many blocks at
// most, up to 65535.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 1056);

constexpr int UNROLL = 4;

__device__ __forceinline__ float largest_of(float4 v) {
    return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}

__device__ __forceinline__ float largest_of_warp(float mine) {
    for (int distance = 16; distance > 0; distance /= 2) {
        mine = fmaxf(mine, __shfl_down_sync(0xffffffff, mine, distance));
    }
    return mine;
}

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    int thread = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    int threads = gridDim.x * BLOCK_SIZE;

    // How many floats lie before the first address that is a multiple of 16, and how many whole
    // vectors follow.
    int head =
        min(n, static_cast<int>((16 - reinterpret_cast<size_t>(in) % 16) % 16 / sizeof(float)));
    const float4 *vectors = reinterpret_cast<const float4 *>(in + head);
    int count = (n - head) / 4;

    // Each of UNROLL loads has a maximum of its own, so no load waits for another.
    float largest[UNROLL];
    for (int k = 0; k < UNROLL; ++k) {
        largest[k] = -INFINITY;
    }
    int i = thread;
    for (; i + (UNROLL - 1) * threads < count; i += UNROLL * threads) {
#pragma unroll
        for (int k = 0; k < UNROLL; ++k) {
            largest[k] = fmaxf(largest[k], largest_of(vectors[i + k * threads]));
        }
    }
    for (; i < count; i += threads) {
        largest[0] = fmaxf(largest[0], largest_of(vectors[i]));
    }

    // At most three floats lie before the vectors, and at most three after them.
    int tail = head + 4 * count + thread;
    if (thread < head) {
        largest[0] = fmaxf(largest[0], in[thread]);
    }
    if (tail < n) {
        largest[0] = fmaxf(largest[0], in[tail]);
    }

    // Each warp combines its values by shuffles (chapter 10), then the first warp combines the
    // warps' values. This takes one barrier.
    constexpr int LANES = 32;
    constexpr int WARPS = BLOCK_SIZE / LANES;
    __shared__ float warps[WARPS];
    for (int k = 1; k < UNROLL; ++k) {
        largest[0] = fmaxf(largest[0], largest[k]);
    }
    float mine = largest_of_warp(largest[0]);
    if (threadIdx.x % LANES == 0) {
        warps[threadIdx.x / LANES] = mine;
    }
    __syncthreads();
    if (threadIdx.x < LANES) {
        mine = largest_of_warp(threadIdx.x < WARPS ? warps[threadIdx.x] : -INFINITY);
        if (threadIdx.x == 0) {
            out[blockIdx.x] = mine;
        }
    }
}
