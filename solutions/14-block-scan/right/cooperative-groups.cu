//! style: cg::exclusive_scan over tiles of a warp; a row of the block at a time, with a carry.

#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 2);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;

namespace cg = cooperative_groups;

template <bool INCLUSIVE, typename T>
__device__ __forceinline__ void scan_segment(const T *in, T *out, int count) {
    __shared__ T of_warp[BLOCK_SIZE / 32];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int thread = block.thread_rank();
    T carry = 0;
    for (int first = 0; first < SEGMENT; first += BLOCK_SIZE) {
        int i = first + thread;
        T mine = i < count ? in[i] : T(0);
        T scanned = INCLUSIVE ? cg::inclusive_scan(warp, mine) : cg::exclusive_scan(warp, mine);
        if (warp.thread_rank() == 31) {
            of_warp[warp.meta_group_rank()] = INCLUSIVE ? scanned : scanned + mine;
        }
        block.sync();
        if (warp.meta_group_rank() == 0) {
            // The first warp scans the warps' sums; its other lanes hold zeros behind them.
            bool there = warp.thread_rank() < BLOCK_SIZE / 32;
            T through = cg::inclusive_scan(warp, there ? of_warp[warp.thread_rank()] : T(0));
            if (there) {
                of_warp[warp.thread_rank()] = through;
            }
        }
        block.sync();
        T before = warp.meta_group_rank() > 0 ? of_warp[warp.meta_group_rank() - 1] : T(0);
        if (i < count) {
            out[i] = carry + (before + scanned);
        }
        carry += of_warp[BLOCK_SIZE / 32 - 1];
        block.sync();
    }
}

template <bool INCLUSIVE, typename T>
__device__ __forceinline__ void scan(const T *in, T *out, int n) {
    int first = blockIdx.x * SEGMENT;
    scan_segment<INCLUSIVE>(in + first, out + first, min(n - first, SEGMENT));
}

extern "C" __global__ void exclusive_scan_int(const int *in, int *out, int n) {
    scan<false>(in, out, n);
}
extern "C" __global__ void inclusive_scan_int(const int *in, int *out, int n) {
    scan<true>(in, out, n);
}
extern "C" __global__ void exclusive_scan_float(const float *in, float *out, int n) {
    scan<false>(in, out, n);
}
extern "C" __global__ void inclusive_scan_float(const float *in, float *out, int n) {
    scan<true>(in, out, n);
}
