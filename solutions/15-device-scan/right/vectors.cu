//! style: int4 in and out where a segment is whole and aligned, shuffles in between.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 4);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;
LAUNCH_CONSTANT(WAY, 0);

constexpr int WARP = 32;
constexpr int WARPS = BLOCK_SIZE / WARP;

__device__ int inclusive_of_warp(int value) {
    for (int distance = 1; distance < WARP; distance *= 2) {
        int left = __shfl_up_sync(0xffffffff, value, distance);
        if (threadIdx.x % WARP >= distance) {
            value += left;
        }
    }
    return value;
}

__device__ bool whole(const void *words, int count) {
    return count == SEGMENT && reinterpret_cast<size_t>(words) % sizeof(int4) == 0;
}

extern "C" __global__ void scan_segments(const int *in, int *out, int *sums, int n) {
    __shared__ __align__(16) int tile[SEGMENT];
    __shared__ int of_warp[WARPS];
    int thread = threadIdx.x;
    int first = blockIdx.x * SEGMENT;
    int count = min(SEGMENT, n - first);
    in += first;
    out += first;
    int4 *quads = reinterpret_cast<int4 *>(tile);
    int4 quad;
    if (whole(in, count)) {
        quad = reinterpret_cast<const int4 *>(in)[thread];
    } else {
        for (int i = thread; i < SEGMENT; i += BLOCK_SIZE) {
            tile[i] = i < count ? in[i] : 0;
        }
        __syncthreads();
        quad = quads[thread];
    }
    int sum = quad.x + quad.y + quad.z + quad.w;
    int through = inclusive_of_warp(sum);
    if (thread % WARP == WARP - 1) {
        of_warp[thread / WARP] = through;
    }
    __syncthreads();
    if (thread < WARP) {
        int scanned = inclusive_of_warp(thread < WARPS ? of_warp[thread] : 0);
        if (thread < WARPS) {
            of_warp[thread] = scanned;
        }
    }
    __syncthreads();
    int before = through - sum + (thread >= WARP ? of_warp[thread / WARP - 1] : 0);
    int4 result = {before, before + quad.x, before + quad.x + quad.y,
                   before + quad.x + quad.y + quad.z};
    if (whole(out, count)) {
        reinterpret_cast<int4 *>(out)[thread] = result;
    } else {
        quads[thread] = result;
        __syncthreads();
        for (int i = thread; i < count; i += BLOCK_SIZE) {
            out[i] = tile[i];
        }
    }
    if (thread == 0) {
        sums[blockIdx.x] = of_warp[WARPS - 1];
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
