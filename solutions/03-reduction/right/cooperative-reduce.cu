//! style: cooperative groups: cg::reduce over tiles of a warp, with a functor of its own.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "course.cuh"

namespace cg = cooperative_groups;

LAUNCH_CONSTANT(BLOCK_SIZE, 64);

struct Larger {
    __device__ float operator()(float left, float right) const { return fmaxf(left, right); }
};

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    __shared__ float of_warp[BLOCK_SIZE / 32];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int i = blockIdx.x * BLOCK_SIZE + block.thread_rank();
    float largest = cg::reduce(warp, i < n ? in[i] : -INFINITY, Larger());
    if (warp.thread_rank() == 0) {
        of_warp[warp.meta_group_rank()] = largest;
    }
    block.sync();
    if (block.thread_rank() == 0) {
        for (int other = 1; other < BLOCK_SIZE / 32; ++other) {
            largest = fmaxf(largest, of_warp[other]);
        }
        out[blockIdx.x] = largest;
    }
}
