//! style: cuda::atomic_ref for the flags: store with release, load with acquire.

#include <cuda/atomic>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 1024);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 1);
constexpr int TILE = BLOCK_SIZE * ITEMS_PER_THREAD;
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

__device__ __forceinline__ int inclusive_of_warp(int value) {
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        int left = __shfl_up_sync(0xffffffff, value, distance);
        if (threadIdx.x % 32 >= distance) {
            value += left;
        }
    }
    return value;
}

// The inclusive sum over the block's threads, and the sum of all. All threads must call it.
__device__ __forceinline__ int inclusive_of_block(int value, int &all) {
    __shared__ int of_warp[32];
    int through = inclusive_of_warp(value);
    if (threadIdx.x % 32 == 31) {
        of_warp[threadIdx.x / 32] = through;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        int mine = threadIdx.x < BLOCK_SIZE / 32 ? of_warp[threadIdx.x] : 0;
        int scanned = inclusive_of_warp(mine);
        of_warp[threadIdx.x] = scanned;
    }
    __syncthreads();
    all = of_warp[31];
    return through + (threadIdx.x >= 32 ? of_warp[threadIdx.x / 32 - 1] : 0);
}

using Flag = cuda::atomic_ref<unsigned int, cuda::thread_scope_device>;

__device__ int look_back(Status *status, int tile) {
    int before = 0;
    while (--tile >= 0) {
        Flag flag(status[tile].flag);
        unsigned int found;
        while ((found = flag.load(cuda::memory_order_acquire)) == NOTHING) {
        }
        if (found == PREFIX) {
            return before + status[tile].prefix;
        }
        before += status[tile].sum;
    }
    return before;
}

extern "C" __global__ void inclusive_scan(const int *in, int *out, Status *status,
                                          unsigned int *ticket, int n) {
    __shared__ int tile, before;
    if (threadIdx.x == 0) {
        tile = atomicAdd(ticket, 1);
    }
    __syncthreads();
    int i = tile * TILE + threadIdx.x;
    int mine = i < n ? in[i] : 0;
    int sum;
    int through = inclusive_of_block(mine, sum);
    if (threadIdx.x == 0) {
        Status &own = status[tile];
        own.sum = sum;
        Flag(own.flag).store(SUM, cuda::memory_order_release);
        before = look_back(status, tile);
        own.prefix = before + sum;
        Flag(own.flag).store(PREFIX, cuda::memory_order_release);
    }
    __syncthreads();
    if (i < n) {
        out[i] = before + through;
    }
}
