//! style: cooperative groups: reductions of a warp by cg::reduce, of the block by the warps' results.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 64);

namespace cg = cooperative_groups;

constexpr int WARPS = BLOCK_SIZE / 32;

// The same result in all threads. `partial` has a place for each warp.
template <typename T, typename Operation>
__device__ T block_reduce(T mine, Operation operation, T *partial) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    T of_warp = cg::reduce(warp, mine, operation);
    block.sync();
    if (warp.thread_rank() == 0) {
        partial[warp.meta_group_rank()] = of_warp;
    }
    block.sync();
    T result = partial[0];
    for (int other = 1; other < WARPS; ++other) {
        result = operation(result, partial[other]);
    }
    return result;
}

extern "C" __global__ void softmax(const float *in, float *out, int columns) {
    extern __shared__ double pool[];
    double *partial = pool;
    float *row = reinterpret_cast<float *>(pool + BLOCK_SIZE);
    in += static_cast<size_t>(blockIdx.x) * columns;
    out += static_cast<size_t>(blockIdx.x) * columns;

    float largest = -INFINITY;
    for (int i = threadIdx.x; i < columns; i += BLOCK_SIZE) {
        row[i] = in[i];
        largest = fmaxf(largest, row[i]);
    }
    double maximum = block_reduce<double>(largest, cg::greater<double>(), partial);
    double sum = 0.0;
    for (int i = threadIdx.x; i < columns; i += BLOCK_SIZE) {
        row[i] = expf(row[i] - static_cast<float>(maximum));
        sum += row[i];
    }
    double total = block_reduce(sum, cg::plus<double>(), partial);
    for (int i = threadIdx.x; i < columns; i += BLOCK_SIZE) {
        out[i] = static_cast<float>(row[i] / total);
    }
}
