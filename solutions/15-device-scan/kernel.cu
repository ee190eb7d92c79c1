// 15-device-scan: running sums of any number of ints in three phases, and compaction with them.
//
// Task
//   Four kernels. The host calls the first two to scan n ints, whatever n is:
//     scan_segments  every block scans its own segment of SEGMENT neighbouring ints (exclusive:
//                    place i gets the sum of those before i in the segment) and writes the sum of
//                    the whole segment to sums[blockIdx.x];
//     (the host scans `sums` in the same way, as often as it takes until one segment is left)
//     add_offsets    adds to every element of segment b the sum of all segments before it,
//                    offsets[b].
//   With such a scan it moves the positive ints of an array together, in their order:
//     mark           keep[i] = 1 if in[i] > 0, else 0; the host scans `keep` into `positions`;
//     compact        every positive in[i] goes to out[positions[i]], and *count becomes how many
//                    there are.
//
// Given
//   ceil(n / SEGMENT) blocks of BLOCK_SIZE threads for scan_segments and add_offsets; a thread for
//   every element, rounded up to whole blocks, for mark and compact. All buffers hold exactly what
//   is named. No sum overflows. n may be 0: one block, whose sum is 0; *count is 0 already then.
//
// Rules
//   Every element is read once and written once by each kernel that it passes, without atomics.
//   Threads add side by side: a segment's scan takes two reads of shared memory for each warp at
//   each distance, which doubles from one to the next, or eight exchanges between lanes for each 32
//   elements, or less.
//
// Check
//   grader check 15-device-scan
//   grader hint 15-device-scan         (if you are stuck)

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 32 to 512, and elements for each
// thread, from 1 to 4.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 2);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;

// >>> your code: what the kernels need
constexpr int BANKS = 32;
// One word of padding after every 32, as in 14-block-scan.
__device__ __forceinline__ int place(int i) { return i + i / BANKS; }
// <<<

extern "C" __global__ void scan_segments(const int *in, int *out, int *sums, int n) {
    // >>> your code: the running sums of this block's segment, and its sum
    static_assert(ITEMS_PER_THREAD == 2, "one pair of elements for each thread");
    __shared__ int data[SEGMENT + SEGMENT / BANKS];
    int thread = threadIdx.x;
    int first = blockIdx.x * SEGMENT;
    for (int i = thread; i < SEGMENT; i += BLOCK_SIZE) {
        data[place(i)] = first + i < n ? in[first + i] : 0;
    }

    // Up: at each distance a pair's right node becomes the sum of both.
    for (int distance = 1; distance < SEGMENT; distance *= 2) {
        __syncthreads();
        int right = 2 * distance * (thread + 1) - 1;
        if (right < SEGMENT) {
            data[place(right)] += data[place(right - distance)];
        }
    }

    // The root holds the sum of the segment. Thread 0 made it, and hands it over before it clears
    // it.
    if (thread == 0) {
        sums[blockIdx.x] = data[place(SEGMENT - 1)];
        data[place(SEGMENT - 1)] = 0;
    }

    // Down: left takes what right has, right adds what left had.
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
    // <<<
}

extern "C" __global__ void add_offsets(int *out, const int *offsets, int n) {
    // >>> your code: this segment's offset is added to each of its elements
    int offset = offsets[blockIdx.x];
    int first = blockIdx.x * SEGMENT;
    for (int i = first + threadIdx.x; i < min(n, first + SEGMENT); i += BLOCK_SIZE) {
        out[i] += offset;
    }
    // <<<
}

extern "C" __global__ void mark(const int *in, int *keep, int n) {
    // >>> your code: 1 for a positive element, 0 for any other
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (i < n) {
        keep[i] = in[i] > 0 ? 1 : 0;
    }
    // <<<
}

extern "C" __global__ void compact(const int *in, const int *positions, int *out, int *count,
                                   int n) {
    // >>> your code: positive elements move to their positions, their number goes to *count
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (i < n) {
        int value = in[i];
        int position = positions[i];
        if (value > 0) {
            out[position] = value;
        }
        // The last element knows how many are kept before it, and whether it is.
        if (i == n - 1) {
            *count = position + (value > 0 ? 1 : 0);
        }
    }
    // <<<
}
