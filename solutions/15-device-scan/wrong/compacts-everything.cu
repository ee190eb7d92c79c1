//! fails: clean/race
//! may fail: correct
//! why: a dropped element has the same position as the next kept element, and the kernel writes it
//! there, too.

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 32 to 512, and elements for each
// thread, from 1 to 32.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 2);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;
LAUNCH_CONSTANT(WAY, 0);

constexpr int BANKS = 32;
__device__ __forceinline__ int place(int i) { return i + i / BANKS; }

extern "C" __global__ void scan_segments(const int *in, int *out, int *sums, int n) {
    static_assert(ITEMS_PER_THREAD == 2, "one pair of elements for each thread");
    __shared__ int data[SEGMENT + SEGMENT / BANKS];
    int thread = threadIdx.x;
    int first = blockIdx.x * SEGMENT;
    for (int i = thread; i < SEGMENT; i += BLOCK_SIZE) {
        data[place(i)] = first + i < n ? in[first + i] : 0;
    }

    for (int distance = 1; distance < SEGMENT; distance *= 2) {
        __syncthreads();
        int right = 2 * distance * (thread + 1) - 1;
        if (right < SEGMENT) {
            data[place(right)] += data[place(right - distance)];
        }
    }

    if (thread == 0) {
        sums[blockIdx.x] = data[place(SEGMENT - 1)];
        data[place(SEGMENT - 1)] = 0;
    }

    for (int distance = SEGMENT / 2; distance > 0; distance /= 2) {
        __syncthreads();
        int right = 2 * distance * (thread + 1) - 1;
        if (right < SEGMENT) {
            int left = right - distance;
            int left_sum = data[place(left)];
            int sum_before = data[place(right)];
            data[place(left)] = sum_before;
            data[place(right)] = sum_before + left_sum;
        }
    }
    __syncthreads();

    for (int i = thread; i < SEGMENT; i += BLOCK_SIZE) {
        if (first + i < n) {
            out[first + i] = data[place(i)];
        }
    }
}

extern "C" __global__ void add_offsets(int *out, const int *offsets, int n) {
    int offset = offsets[blockIdx.x];
    int first = blockIdx.x * SEGMENT;
    for (int i = first + threadIdx.x; i < min(n, first + SEGMENT); i += BLOCK_SIZE) {
        out[i] += offset;
    }
}

extern "C" __global__ void mark(const int *in, int *keep, int n) {
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (i < n) {
        keep[i] = in[i] > 0 ? 1 : 0;
    }
}

extern "C" __global__ void compact(const int *in, const int *positions, int *out, int *count,
                                   int n) {
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (i < n) {
        int value = in[i];
        int position = positions[i];
        out[position] = value;
        if (i == n - 1) {
            *count = position + (value > 0 ? 1 : 0);
        }
    }
}
