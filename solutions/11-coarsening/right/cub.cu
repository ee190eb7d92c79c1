//! style: cub::BlockReduce over values that each thread has from four vectors in flight.

#include <cub/block/block_reduce.cuh>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 528);

struct Larger {
    __device__ float operator()(float left, float right) const { return fmaxf(left, right); }
};
using BlockReduce = cub::BlockReduce<float, BLOCK_SIZE, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
constexpr int AT_ONCE = 4;

__device__ float largest_of(float4 words) {
    return fmaxf(fmaxf(words.x, words.y), fmaxf(words.z, words.w));
}

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    __shared__ BlockReduce::TempStorage storage;
    int head = min(n, static_cast<int>((16 - reinterpret_cast<size_t>(in) % 16) % 16 / 4));
    int count = (n - head) / 4;
    const float4 *vectors = reinterpret_cast<const float4 *>(in + head);
    int threads = gridDim.x * BLOCK_SIZE;
    int thread = blockIdx.x * BLOCK_SIZE + threadIdx.x;

    float mine[AT_ONCE] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    int i = thread;
    for (; i + (AT_ONCE - 1) * threads < count; i += AT_ONCE * threads) {
        float4 words[AT_ONCE];
#pragma unroll
        for (int part = 0; part < AT_ONCE; ++part) {
            words[part] = vectors[i + part * threads];
        }
#pragma unroll
        for (int part = 0; part < AT_ONCE; ++part) {
            mine[part] = fmaxf(mine[part], largest_of(words[part]));
        }
    }
    for (; i < count; i += threads) {
        mine[0] = fmaxf(mine[0], largest_of(vectors[i]));
    }
    // The ends belong to the last block, which is as good as any.
    if (blockIdx.x == gridDim.x - 1) {
        for (int end = threadIdx.x; end < head; end += BLOCK_SIZE) {
            mine[1] = fmaxf(mine[1], in[end]);
        }
        for (int end = head + 4 * count + threadIdx.x; end < n; end += BLOCK_SIZE) {
            mine[2] = fmaxf(mine[2], in[end]);
        }
    }
    float largest = fmaxf(fmaxf(mine[0], mine[1]), fmaxf(mine[2], mine[3]));
    largest = BlockReduce(storage).Reduce(largest, Larger());
    if (threadIdx.x == 0) {
        out[blockIdx.x] = largest;
    }
}
