// Baseline of 15-device-scan: the same phases with the simplest scan, Hillis and Steele over one
// element for each thread. It has many rounds, many segments and many levels.
#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 1);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;
LAUNCH_CONSTANT(WAY, 0);

extern "C" __global__ void scan_segments(const int *in, int *out, int *sums, int n) {
    __shared__ int data[2][SEGMENT];
    int thread = threadIdx.x;
    int i = blockIdx.x * SEGMENT + thread;
    int from = 0;
    int own = i < n ? in[i] : 0;
    data[0][thread] = own;
    for (int distance = 1; distance < SEGMENT; distance *= 2) {
        __syncthreads();
        data[1 - from][thread] =
            data[from][thread] + (thread >= distance ? data[from][thread - distance] : 0);
        from = 1 - from;
    }
    if (i < n) {
        out[i] = data[from][thread] - own;
    }
    if (thread == SEGMENT - 1) {
        sums[blockIdx.x] = data[from][thread];
    }
}

extern "C" __global__ void add_offsets(int *out, const int *offsets, int n) {
    int i = blockIdx.x * SEGMENT + threadIdx.x;
    if (i < n) {
        out[i] += offsets[blockIdx.x];
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
        int value = in[i];
        int position = positions[i];
        if (value > 0) {
            out[position] = value;
        }
        if (i == n - 1) {
            *count = position + (value > 0);
        }
    }
}
