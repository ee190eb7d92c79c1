//! fails: correct
//! why: the walk ends at the first tile that has published anything, although that may be only the
//! tile's own sum.

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024, and elements for each
// thread, from 1 to 32.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 8);
constexpr int TILE = BLOCK_SIZE * ITEMS_PER_THREAD;
// 0 is one pass, which the task asks for. For comparison, 1 is the three phases of 15-device-scan,
// as the baseline has them.
LAUNCH_CONSTANT(WAY, 0);

// What a tile tells the others. Where the host has set PREFIX, the prefix is in `sum`, too: you may
// use one place for both.
struct alignas(16) Status {
    unsigned int flag;
    int sum;    // of the tile's elements
    int prefix; // of all elements up to the tile's last one
    int spare;
};
enum : unsigned int { NOTHING = 0, SUM = 1, PREFIX = 2 };

// Sets a flag after all that this thread wrote before, and all that it has seen others write.
__device__ __forceinline__ void store_release(unsigned int *flag, unsigned int value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}
// Reads a flag before all that this thread reads later.
__device__ __forceinline__ unsigned int load_acquire(const unsigned int *flag) {
    unsigned int value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}

constexpr int LANES = 32;
constexpr int WARPS = BLOCK_SIZE / LANES;

__device__ __forceinline__ int place(int i) { return i + i / LANES; }

__device__ __forceinline__ int warp_scan(int mine) {
    for (int distance = 1; distance < LANES; distance *= 2) {
        int left = __shfl_up_sync(0xffffffff, mine, distance);
        if (threadIdx.x % LANES >= distance) {
            mine += left;
        }
    }
    return mine;
}

__device__ __forceinline__ int look_back(Status *status, int tile, int sum) {
    int before = 0;
    if (tile > 0) {
        status[tile].sum = sum;
        store_release(&status[tile].flag, SUM);
    }
    for (int other = tile - 1; other >= 0; --other) {
        unsigned int flag = NOTHING;
        while (flag == NOTHING) {
            flag = load_acquire(&status[other].flag);
        }
        if (flag == PREFIX) {
            before += status[other].prefix;
            break;
        }
        before += status[other].sum;
        break;
    }
    status[tile].prefix = before + sum;
    store_release(&status[tile].flag, PREFIX);
    return before;
}

extern "C" __global__ void inclusive_scan(const int *in, int *out, Status *status,
                                          unsigned int *ticket, int n) {
    __shared__ int data[TILE + TILE / LANES];
    __shared__ int warp_sums[WARPS];
    __shared__ int shared_tile;
    __shared__ int shared_before;
    int thread = threadIdx.x;

    if (thread == 0) {
        shared_tile = atomicAdd(ticket, 1);
    }
    __syncthreads();
    int tile = shared_tile;
    int count = min(n - tile * TILE, TILE);
    in += tile * TILE;
    out += tile * TILE;

    for (int i = thread; i < TILE; i += BLOCK_SIZE) {
        data[place(i)] = i < count ? in[i] : 0;
    }
    __syncthreads();
    int own[ITEMS_PER_THREAD];
    int total = 0;
    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        total += data[place(ITEMS_PER_THREAD * thread + item)];
        own[item] = total;
    }

    int with = warp_scan(total);
    if (thread % LANES == LANES - 1) {
        warp_sums[thread / LANES] = with;
    }
    __syncthreads();
    if (thread < LANES) {
        int sums = warp_scan(thread < WARPS ? warp_sums[thread] : 0);
        if (thread < WARPS) {
            warp_sums[thread] = sums;
        }
    }
    __syncthreads();

    if (thread == 0) {
        shared_before = look_back(status, tile, warp_sums[WARPS - 1]);
    }
    __syncthreads();

    int before = shared_before + with - total;
    if (thread >= LANES) {
        before += warp_sums[thread / LANES - 1];
    }
    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        data[place(ITEMS_PER_THREAD * thread + item)] = before + own[item];
    }
    __syncthreads();
    for (int i = thread; i < count; i += BLOCK_SIZE) {
        out[i] = data[place(i)];
    }
}
