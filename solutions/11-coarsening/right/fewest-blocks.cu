//! style: the fewest blocks allowed, of 1024 threads, whatever n is; cooperative groups reduce.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 1024);
LAUNCH_CONSTANT(MOST_BLOCKS, 32);

namespace cg = cooperative_groups;

struct Larger {
    __device__ float operator()(float left, float right) const { return fmaxf(left, right); }
};

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    __shared__ float of_warp[32];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int thread = block.thread_rank();
    float largest = -INFINITY;

    int head = min(n, static_cast<int>((16 - reinterpret_cast<size_t>(in) % 16) % 16 / 4));
    int count = (n - head) / 4;
    auto vectors = reinterpret_cast<const float4 *>(in + head);
    for (int i = blockIdx.x * BLOCK_SIZE + thread; i < count; i += gridDim.x * BLOCK_SIZE) {
        float4 vector = vectors[i];
        largest = fmaxf(largest, fmaxf(fmaxf(vector.x, vector.y), fmaxf(vector.z, vector.w)));
    }
    if (blockIdx.x == 0) {
        int last = head + 4 * count + thread;
        if (thread < head) {
            largest = fmaxf(largest, in[thread]);
        }
        if (last < n) {
            largest = fmaxf(largest, in[last]);
        }
    }
    largest = cg::reduce(warp, largest, Larger());
    if (warp.thread_rank() == 0) {
        of_warp[warp.meta_group_rank()] = largest;
    }
    block.sync();
    if (warp.meta_group_rank() == 0) {
        largest = cg::reduce(warp, of_warp[warp.thread_rank()], Larger());
        cg::invoke_one(warp, [&] { out[blockIdx.x] = largest; });
    }
}
