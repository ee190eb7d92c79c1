// Step 3: each segment has a count, instead of each element a mark and a position. `mark` reads the
// elements and writes next to nothing. In `compact` each block reads its segment once more, scans
// the segment's marks itself, and brings together in shared memory what it writes.

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
LAUNCH_CONSTANT(WAY, 1);

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

// Four neighbours; beyond n there are zeros, which are not positive.
__device__ __forceinline__ int4 load(const int *in, int i, int n) {
    int4 own = {0, 0, 0, 0};
    if (i + 3 < n) {
        own = *reinterpret_cast<const int4 *>(in + i);
    } else {
        own.x = i < n ? in[i] : 0;
        own.y = i + 1 < n ? in[i + 1] : 0;
        own.z = i + 2 < n ? in[i + 2] : 0;
    }
    return own;
}

extern "C" __global__ void scan_segments(const int *in, int *out, int *sums, int n) {
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
}

extern "C" __global__ void add_offsets(int *out, const int *offsets, int n) {
    int offset = offsets[blockIdx.x];
    int first = blockIdx.x * SEGMENT;
    for (int i = first + threadIdx.x; i < min(n, first + SEGMENT); i += BLOCK_SIZE) {
        out[i] += offset;
    }
}

extern "C" __global__ void mark(const int *in, int *keep, int n) {
    __shared__ int warp_sums[WARPS];
    int thread = threadIdx.x;
    int4 own = load(in, blockIdx.x * SEGMENT + 4 * thread, n);
    int kept = (own.x > 0) + (own.y > 0) + (own.z > 0) + (own.w > 0);
    int with = warp_scan(kept);
    if (thread % LANES == LANES - 1) {
        warp_sums[thread / LANES] = with;
    }
    __syncthreads();
    if (thread < LANES) {
        int running = warp_scan(thread < WARPS ? warp_sums[thread] : 0);
        if (thread == WARPS - 1) {
            keep[blockIdx.x] = running;
        }
    }
}

extern "C" __global__ void compact(const int *in, const int *positions, int *out, int *count,
                                   int n) {
    __shared__ int moved[SEGMENT];
    __shared__ int warp_sums[WARPS];
    int thread = threadIdx.x;
    int4 own = load(in, blockIdx.x * SEGMENT + 4 * thread, n);
    int kept = (own.x > 0) + (own.y > 0) + (own.z > 0) + (own.w > 0);
    int with = warp_scan(kept);
    if (thread % LANES == LANES - 1) {
        warp_sums[thread / LANES] = with;
    }
    __syncthreads();
    int before = with - kept;
    int total = 0;
    for (int warp = 0; warp < WARPS; ++warp) {
        before += warp < thread / LANES ? warp_sums[warp] : 0;
        total += warp_sums[warp];
    }

    // Neighbours in `out` come from different threads: they meet in shared memory, and neighbouring
    // threads write them.
    if (own.x > 0) {
        moved[before++] = own.x;
    }
    if (own.y > 0) {
        moved[before++] = own.y;
    }
    if (own.z > 0) {
        moved[before++] = own.z;
    }
    if (own.w > 0) {
        moved[before++] = own.w;
    }
    __syncthreads();
    int position = positions[blockIdx.x];
    for (int i = thread; i < total; i += BLOCK_SIZE) {
        out[position + i] = moved[i];
    }
    if (blockIdx.x == gridDim.x - 1 && thread == 0) {
        *count = position + total;
    }
}
