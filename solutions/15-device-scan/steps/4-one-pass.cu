// Step 4, expert: one launch, which reads each element once. Blocks draw tickets and look back at
// what the segments before have kept, as 17-capstone-scan explains.

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 32 to 512, and elements for each
// thread, from 1 to 32.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 32);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;
// The way of the compaction. 0 is the one above, which the task asks for. For comparison, 1 and 2
// have a block for each segment in `mark` and `compact`. 1 marks how many elements each segment
// keeps and scans these counts. 2 scans nothing: `positions` is the array that `mark` cleared, two
// ints for each segment and two more.
LAUNCH_CONSTANT(WAY, 2);

constexpr int LANES = 32;
constexpr int WARPS = BLOCK_SIZE / LANES;
constexpr int ROWS = ITEMS_PER_THREAD / 4;
constexpr unsigned int ALL = 0xffffffff;

// A segment tells the others a flag in the low half of a word, and how many it keeps in the high
// half. One access writes both halves, and one reads both: no order between two accesses is needed.
enum : unsigned int { NOTHING = 0, SUM = 1, PREFIX = 2 };
using Words = volatile unsigned long long;
__device__ __forceinline__ unsigned long long word(unsigned int flag, int kept) {
    return static_cast<unsigned long long>(kept) << 32 | flag;
}

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

__device__ __forceinline__ int warp_sum(int mine) {
    for (int distance = LANES / 2; distance > 0; distance /= 2) {
        mine += __shfl_xor_sync(ALL, mine, distance);
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

// How many elements all segments before this one keep. One warp calls this and looks at 32 segments
// at a time; this segment's own number is published already.
__device__ __forceinline__ int look_back(Words *words, int segment, int kept) {
    int lane = threadIdx.x % LANES;
    int before = 0;
    bool found = segment == 0;
    for (int end = segment; !found; end -= LANES) {
        int other = end - 1 - lane;
        unsigned long long seen = PREFIX;
        unsigned int nearer = 0;
        unsigned int empty = 0;
        do {
            if (other >= 0) {
                seen = words[other];
            }
            empty = __ballot_sync(ALL, static_cast<unsigned int>(seen) == NOTHING);
            unsigned int with_prefix =
                __ballot_sync(ALL, static_cast<unsigned int>(seen) == PREFIX);
            found = with_prefix != 0;
            // Only the words up to the nearest prefix, or all 32, must be there.
            nearer = found ? with_prefix ^ (with_prefix - 1) : ALL;
        } while ((empty & nearer) != 0);
        before += warp_sum(nearer >> lane & 1 ? static_cast<int>(seen >> 32) : 0);
    }
    if (lane == 0 && segment > 0) {
        words[segment] = word(PREFIX, before + kept);
    }
    return before;
}

// Each warp scans rows of 128 neighbours, four for each lane, row after row.
extern "C" __global__ void scan_segments(const int *in, int *out, int *sums, int n) {
    __shared__ int warp_sums[WARPS];
    int lane = threadIdx.x % LANES;
    int warp = threadIdx.x / LANES;
    int first = blockIdx.x * SEGMENT + warp * (LANES * ITEMS_PER_THREAD) + 4 * lane;
    int4 own[ROWS];
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        own[row] = load(in, first + row * 4 * LANES, n);
    }
    int in_warp = 0;
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        int total = own[row].x + own[row].y + own[row].z + own[row].w;
        int with = warp_scan(total);
        int before = in_warp + with - total;
        own[row].w = before + own[row].x + own[row].y + own[row].z;
        own[row].z = before + own[row].x + own[row].y;
        own[row].y = before + own[row].x;
        own[row].x = before;
        in_warp += __shfl_sync(ALL, with, LANES - 1);
    }
    if (lane == 0) {
        warp_sums[warp] = in_warp;
    }
    __syncthreads();
    if (warp == 0) {
        int mine = lane < WARPS ? warp_sums[lane] : 0;
        int running = warp_scan(mine);
        if (lane < WARPS) {
            warp_sums[lane] = running - mine;
        }
        if (lane == WARPS - 1) {
            sums[blockIdx.x] = running;
        }
    }
    __syncthreads();
    int before = warp_sums[warp];
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        int i = first + row * 4 * LANES;
        int4 result = {before + own[row].x, before + own[row].y, before + own[row].z,
                       before + own[row].w};
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
}

extern "C" __global__ void add_offsets(int *out, const int *offsets, int n) {
    int offset = offsets[blockIdx.x];
    int first = blockIdx.x * SEGMENT;
    for (int i = first + threadIdx.x; i < min(n, first + SEGMENT); i += BLOCK_SIZE) {
        out[i] += offset;
    }
}

// Clears the ticket and what segments tell each other.
extern "C" __global__ void mark(const int *, int *keep, int n) {
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (i < n) {
        keep[i] = 0;
    }
}

extern "C" __global__ void compact(const int *in, int *positions, int *out, int *count, int n) {
    __shared__ int moved[SEGMENT];
    __shared__ int warp_sums[WARPS];
    __shared__ int shared_segment;
    __shared__ int shared_before;
    int lane = threadIdx.x % LANES;
    int warp = threadIdx.x / LANES;
    // The first word holds the ticket.
    Words *words = reinterpret_cast<Words *>(positions) + 1;
    if (threadIdx.x == 0) {
        shared_segment = atomicAdd(positions, 1);
    }
    __syncthreads();
    int segment = shared_segment;
    int first = segment * SEGMENT + warp * (LANES * ITEMS_PER_THREAD) + 4 * lane;
    int4 own[ROWS];
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        own[row] = load(in, first + row * 4 * LANES, n);
    }

    // Each lane finds its place in its warp: four votes say which elements of a row are kept.
    unsigned int lanes_before = (1u << lane) - 1;
    int places[ROWS];
    int in_warp = 0;
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        unsigned int x = __ballot_sync(ALL, own[row].x > 0);
        unsigned int y = __ballot_sync(ALL, own[row].y > 0);
        unsigned int z = __ballot_sync(ALL, own[row].z > 0);
        unsigned int w = __ballot_sync(ALL, own[row].w > 0);
        places[row] = in_warp + __popc(x & lanes_before) + __popc(y & lanes_before) +
                      __popc(z & lanes_before) + __popc(w & lanes_before);
        in_warp += __popc(x) + __popc(y) + __popc(z) + __popc(w);
    }
    if (lane == 0) {
        warp_sums[warp] = in_warp;
    }
    __syncthreads();
    int before = 0;
    int total = 0;
    for (int other = 0; other < WARPS; ++other) {
        before += other < warp ? warp_sums[other] : 0;
        total += warp_sums[other];
    }

    // The first warp publishes how many elements are kept, and looks back.
    if (warp == 0) {
        if (lane == 0) {
            words[segment] = word(segment > 0 ? SUM : PREFIX, total);
        }
        int found = look_back(words, segment, total);
        if (lane == 0) {
            shared_before = found;
        }
    }

    // Neighbours in `out` come from different lanes: they meet in shared memory, and neighbouring
    // threads write them.
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        int place = before + places[row];
        if (own[row].x > 0) {
            moved[place++] = own[row].x;
        }
        if (own[row].y > 0) {
            moved[place++] = own[row].y;
        }
        if (own[row].z > 0) {
            moved[place++] = own[row].z;
        }
        if (own[row].w > 0) {
            moved[place++] = own[row].w;
        }
    }
    __syncthreads();
    int position = shared_before;
    for (int i = threadIdx.x; i < total; i += BLOCK_SIZE) {
        out[position + i] = moved[i];
    }
    if (segment == static_cast<int>(gridDim.x) - 1 && threadIdx.x == 0) {
        *count = position + total;
    }
}
