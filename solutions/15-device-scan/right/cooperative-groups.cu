//! style: cg::exclusive_scan of a tile of 32 lanes, rows with a carry; generic functors elsewhere.

#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 128);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 3);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;
LAUNCH_CONSTANT(WAY, 0);

namespace cg = cooperative_groups;

template <typename Function> __device__ void for_each_of_segment(int n, Function function) {
    auto block = cg::this_thread_block();
    int first = block.group_index().x * SEGMENT;
    for (int i = first + block.thread_rank(); i < min(first + SEGMENT, n); i += block.size()) {
        function(i);
    }
}

extern "C" __global__ void scan_segments(const int *in, int *out, int *sums, int n) {
    __shared__ int of_warp[2][BLOCK_SIZE / 32];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int before = 0;
    for (int row = 0; row < ITEMS_PER_THREAD; ++row) {
        int i = blockIdx.x * SEGMENT + row * BLOCK_SIZE + block.thread_rank();
        int mine = i < n ? in[i] : 0;
        int scanned = cg::exclusive_scan(warp, mine, cg::plus<int>());
        auto &turn = of_warp[row % 2];
        if (warp.thread_rank() == warp.size() - 1) {
            turn[warp.meta_group_rank()] = scanned + mine;
        }
        block.sync();
        int of_row = 0;
        for (int other = 0; other < warp.meta_group_size(); ++other) {
            scanned += other < warp.meta_group_rank() ? turn[other] : 0;
            of_row += turn[other];
        }
        if (i < n) {
            out[i] = before + scanned;
        }
        before += of_row;
    }
    if (block.thread_rank() == 0) {
        sums[blockIdx.x] = before;
    }
}

extern "C" __global__ void add_offsets(int *out, const int *offsets, int n) {
    int offset = offsets[blockIdx.x];
    for_each_of_segment(n, [=](int i) { out[i] += offset; });
}

extern "C" __global__ void mark(const int *in, int *keep, int n) {
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (i < n) {
        keep[i] = in[i] > 0;
    }
}

extern "C" __global__ void compact(const int *in, const int *positions, int *out, int *count,
                                   int n) {
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (i < n) {
        int element = in[i];
        int position = positions[i];
        if (element > 0) {
            out[position] = element;
        }
        if (i == n - 1) {
            *count = position + (element > 0);
        }
    }
}
