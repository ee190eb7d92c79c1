//! style: volatile flags and __threadfence on both sides; a tile in shared memory.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 64);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 32);
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

// The runs of neighbouring threads begin an odd number of words apart.
constexpr int PITCH = ITEMS_PER_THREAD | 1;

__device__ void publish(Status *status, int tile, unsigned int flag) {
    __threadfence();
    *const_cast<volatile unsigned int *>(&status[tile].flag) = flag;
}

__device__ unsigned int await(const Status *status, int tile) {
    const volatile unsigned int *flag = &status[tile].flag;
    unsigned int found;
    do {
        found = *flag;
    } while (found == NOTHING);
    __threadfence();
    return found;
}

extern "C" __global__ void inclusive_scan(const int *in, int *out, Status *status,
                                          unsigned int *ticket, int n) {
    __shared__ int items[BLOCK_SIZE * PITCH];
    __shared__ int shared_tile;
    __shared__ int shared_before;
    if (threadIdx.x == 0) {
        shared_tile = atomicAdd(ticket, 1u);
    }
    __syncthreads();
    const int tile = shared_tile;
    const int first = tile * TILE;
    const int count = min(TILE, n - first);
    for (int i = threadIdx.x; i < TILE; i += BLOCK_SIZE) {
        items[i / ITEMS_PER_THREAD * PITCH + i % ITEMS_PER_THREAD] = i < count ? in[first + i] : 0;
    }
    __syncthreads();
    int *mine = &items[threadIdx.x * PITCH];
    int sum = 0;
    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        sum += mine[item];
        mine[item] = sum;
    }
    int all;
    int through = inclusive_of_block(sum, all);
    if (threadIdx.x == 0) {
        status[tile].sum = all;
        if (tile == 0) {
            status[tile].prefix = all;
            publish(status, tile, PREFIX);
            shared_before = 0;
        } else {
            publish(status, tile, SUM);
            int before = 0;
            for (int other = tile - 1; other >= 0; --other) {
                if (await(status, other) == PREFIX) {
                    before += status[other].prefix;
                    break;
                }
                before += status[other].sum;
            }
            status[tile].prefix = before + all;
            publish(status, tile, PREFIX);
            shared_before = before;
        }
    }
    __syncthreads();
    const int before = shared_before + through - sum;
    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        mine[item] += before;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += BLOCK_SIZE) {
        out[first + i] = items[i / ITEMS_PER_THREAD * PITCH + i % ITEMS_PER_THREAD];
    }
}
