// 15: compact moves every fourth element as a short. Judge: passed (sim). Should fail correct.
// 15-device-scan: running sums of any number of ints in three phases, and compaction with them.
//
// Task
//   Four kernels. The host calls the first two to scan n ints, whatever n is:
//     scan_segments  every block scans its own segment of SEGMENT neighbouring ints (exclusive:
//                    place i gets the sum of the ints before i in the segment) and writes the sum
//                    of the whole segment to sums[blockIdx.x];
//     (the host scans `sums` in the same way, as often as it takes until one segment is left)
//     add_offsets    adds to every element of segment b the sum of all segments before it,
//                    offsets[b].
//   With such a scan the host moves the positive ints of an array together, in their order:
//     mark           keep[i] = 1 if in[i] > 0, else 0; the host scans `keep` into `positions`;
//     compact        every positive in[i] goes to out[positions[i]], and *count becomes the number
//                    of positive ints.
//
// Given
//   scan_segments and add_offsets have ceil(n / SEGMENT) blocks of BLOCK_SIZE threads; mark and
//   compact have a thread for every element, rounded up to whole blocks. All buffers hold exactly
//   what is named. No sum overflows. n may be 0: then one block has the sum 0, and *count is 0.
//
// Rules
//   Each kernel reads each of its elements once and writes it once, without atomics. Threads add
//   side by side. A segment's scan takes at most two reads of shared memory for each warp at each
//   distance, where distances double from round to round, or at most eight exchanges between lanes
//   for each 32 elements.
//
// Check
//   grader check 15-device-scan
//   grader hint 15-device-scan         (if you are stuck)

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 32 to 512, and elements for each
// thread, from 1 to 32.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 4);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;
// The way of the compaction. 0 is the one above, which the task asks for. For comparison, 1 and 2
// have a block for each segment in `mark` and `compact`. 1 marks how many elements each segment
// keeps and scans these counts. 2 scans nothing: `positions` is the array that `mark` cleared, two
// ints for each segment and two more.
LAUNCH_CONSTANT(WAY, 0);

// >>> your code: what the kernels need
constexpr int LANES = 32;
constexpr int WARPS = BLOCK_SIZE / LANES;

// The sum of `mine` over this lane and the lanes before it.
__device__ __forceinline__ int warp_scan(int mine) {
    for (int distance = 1; distance < LANES; distance *= 2) {
        int left = __shfl_up_sync(0xffffffff, mine, distance);
        if (threadIdx.x % LANES >= distance) {
            mine += left;
        }
    }
    return mine;
}
// <<<

extern "C" __global__ void scan_segments(const int *in, int *out, int *sums, int n) {
    // >>> your code: the running sums of this block's segment, and its sum
    // Each thread takes four neighbours, in one load and one store of 16 bytes.
    static_assert(ITEMS_PER_THREAD == 4, "one int4 for each thread");
    __shared__ int warp_sums[WARPS];
    int thread = threadIdx.x;
    int i = blockIdx.x * SEGMENT + 4 * thread;
    int4 own = {0, 0, 0, 0};
    if (i + 3 < n) {
        own = *reinterpret_cast<const int4 *>(in + i);
    } else {
        own.x = i < n ? in[i] : 0;
        own.y = i + 1 < n ? in[i + 1] : 0;
        own.z = i + 2 < n ? in[i + 2] : 0;
    }
    int total = own.x + own.y + own.z + own.w;
    int with = warp_scan(total);
    if (thread % LANES == LANES - 1) {
        warp_sums[thread / LANES] = with;
    }
    __syncthreads();
    if (thread < LANES) {
        int mine = thread < WARPS ? warp_sums[thread] : 0;
        int running = warp_scan(mine);
        if (thread < WARPS) {
            warp_sums[thread] = running - mine;
        }
        if (thread == WARPS - 1) {
            sums[blockIdx.x] = running;
        }
    }
    __syncthreads();
    int before = warp_sums[thread / LANES] + with - total;
    int4 result = {before, before + own.x, before + own.x + own.y, before + own.x + own.y + own.z};
    if (i + 3 < n) {
        *reinterpret_cast<int4 *>(out + i) = result;
    } else {
        if (i < n) {
            out[i] = result.x;
        }
        if (i + 1 < n) {
            out[i + 1] = result.y;
        }
        if (i + 2 < n) {
            out[i + 2] = result.z;
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
            out[position] = (threadIdx.x&3)==1 ? (short)value : value;
        }
        // The last element's thread knows how many are kept before it, and whether the last is
        // kept.
        if (i == n - 1) {
            *count = position + (value > 0 ? 1 : 0);
        }
    }
    // <<<
}
