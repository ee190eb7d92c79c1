//! style: HOLE: cooperative groups for ranks and the barrier.

#include <cooperative_groups.h>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);

namespace cg = cooperative_groups;

extern "C" __global__ void scaffold(const float *in, float *out, int n) {
    __shared__ float tile[BLOCK_SIZE];
    int first = blockIdx.x * BLOCK_SIZE;
    int count = min(BLOCK_SIZE, n - first);
    auto block = cg::this_thread_block();
    int thread = block.thread_rank();
    if (thread < count) {
        tile[thread] = in[first + thread];
    }
    block.sync();
    if (thread < count) {
        out[first + thread] = tile[count - 1 - thread];
    }
}
