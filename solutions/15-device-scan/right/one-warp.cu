//! style: a block of one warp with one element for each lane; votes count in compaction.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 32);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 1);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;
LAUNCH_CONSTANT(WAY, 0);

extern "C" __global__ void scan_segments(const int *in, int *out, int *sums, int n) {
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    int lane = threadIdx.x;
    int mine = i < n ? in[i] : 0;
    int through = mine;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        int left = __shfl_up_sync(0xffffffff, through, distance);
        through += lane >= distance ? left : 0;
    }
    if (i < n) {
        out[i] = through - mine;
    }
    if (lane == 31) {
        sums[blockIdx.x] = through;
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
