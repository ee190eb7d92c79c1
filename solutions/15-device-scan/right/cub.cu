//! style: cub: BlockLoad, BlockScan and BlockStore with their transposing algorithms.

#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 512);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 4);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;
LAUNCH_CONSTANT(WAY, 0);

using Load = cub::BlockLoad<int, BLOCK_SIZE, ITEMS_PER_THREAD, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
using Store = cub::BlockStore<int, BLOCK_SIZE, ITEMS_PER_THREAD, cub::BLOCK_STORE_WARP_TRANSPOSE>;
using Scan = cub::BlockScan<int, BLOCK_SIZE>;

extern "C" __global__ void scan_segments(const int *in, int *out, int *sums, int n) {
    __shared__ union {
        Load::TempStorage load;
        Scan::TempStorage scan;
        Store::TempStorage store;
    } storage;
    int first = blockIdx.x * SEGMENT;
    int count = min(SEGMENT, n - first);
    int items[ITEMS_PER_THREAD];
    int sum;
    Load(storage.load).Load(in + first, items, count, 0);
    __syncthreads();
    Scan(storage.scan).ExclusiveSum(items, items, sum);
    __syncthreads();
    Store(storage.store).Store(out + first, items, count);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
}

extern "C" __global__ void add_offsets(int *out, const int *offsets, int n) {
    int offset = offsets[blockIdx.x];
    int first = blockIdx.x * SEGMENT;
    for (int i = first + threadIdx.x; i < min(first + SEGMENT, n); i += BLOCK_SIZE) {
        out[i] += offset;
    }
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
