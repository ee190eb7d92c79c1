// Step 3, expert: segments of 2048, scanned in registers and by shuffles, 16 bytes for each load
// and store.

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 32 to 512, and elements for each
// thread, from 1 to 4.
LAUNCH_CONSTANT(BLOCK_SIZE, 512);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 4);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;

constexpr int LANES = 32;
constexpr int WARPS = BLOCK_SIZE / LANES;

__device__ __forceinline__ int warp_scan(int mine) {
    for (int distance = 1; distance < LANES; distance *= 2) {
        int left = __shfl_up_sync(0xffffffff, mine, distance);
        if (threadIdx.x % LANES >= distance) {
            mine += left;
        }
    }
    return mine;
}

extern "C" __global__ void scan_segments(const int *in, int *out, int *sums, int n) {
    // Four neighbours for each thread, in one load and one store of 16 bytes.
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
        if (value > 0) {
            out[position] = value;
        }
        // The last element knows how many are kept before it, and whether it is.
        if (i == n - 1) {
            *count = position + (value > 0 ? 1 : 0);
        }
    }
}
