//! style: a cooperative group for the block, unsigned indices that wrap round, sums side by side.

#include <cooperative_groups.h>

#include "course.cuh"

namespace cg = cooperative_groups;

LAUNCH_CONSTANT(BLOCK_SIZE, 512);
LAUNCH_CONSTANT(OUTPUTS_PER_THREAD, 1);

constexpr int MAX_RADIUS = 64;
constexpr int OUTPUTS = BLOCK_SIZE * OUTPUTS_PER_THREAD;

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    stencil(const int *__restrict__ in, int *__restrict__ out, int n, int radius) {
    __shared__ int tile[OUTPUTS + 2 * MAX_RADIUS];
    auto block = cg::this_thread_block();
    unsigned first = block.group_index().x * OUTPUTS;
    for (unsigned place = block.thread_rank(); place < OUTPUTS + 2 * radius;
         place += block.size()) {
        // Left of the array the index wraps to a huge number, which is not below n either.
        unsigned i = first + place - radius;
        tile[place] = i < static_cast<unsigned>(n) ? __ldg(&in[i]) : 0;
    }
    block.sync();

    int sums[OUTPUTS_PER_THREAD] = {};
    for (int distance = 0; distance <= 2 * radius; ++distance) {
#pragma unroll
        for (int output = 0; output < OUTPUTS_PER_THREAD; ++output) {
            sums[output] += tile[block.thread_rank() + output * BLOCK_SIZE + distance];
        }
    }
#pragma unroll
    for (int output = 0; output < OUTPUTS_PER_THREAD; ++output) {
        unsigned i = first + block.thread_rank() + output * BLOCK_SIZE;
        if (i < n) {
            out[i] = sums[output];
        }
    }
}
