//! style: a warp looks back at 32 tiles at once, and a vote finds the nearest prefix.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 8);
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

// The sum of all tiles before `tile`, in every lane of the warp that calls it.
__device__ int look_back(const Status *status, int tile) {
    const int lane = threadIdx.x % 32;
    int before = 0;
    for (int nearest = tile - 1; nearest >= 0; nearest -= 32) {
        const int other = nearest - lane;
        unsigned int flag = PREFIX;
        int value = 0;
        if (other >= 0) {
            do {
                flag = load_acquire(&status[other].flag);
            } while (flag == NOTHING);
            value = flag == PREFIX ? status[other].prefix : status[other].sum;
        }
        __syncwarp();
        const unsigned prefixes = __ballot_sync(0xffffffff, flag == PREFIX);
        const int last = prefixes ? __ffs(prefixes) - 1 : 31;
        value = lane <= last ? value : 0;
        for (int distance = 16; distance > 0; distance /= 2) {
            value += __shfl_xor_sync(0xffffffff, value, distance);
        }
        before += value;
        if (prefixes) {
            break;
        }
    }
    return before;
}

extern "C" __global__ void inclusive_scan(const int *in, int *out, Status *status,
                                          unsigned int *ticket, int n) {
    __shared__ int shared_tile, shared_before;
    if (threadIdx.x == 0) {
        shared_tile = atomicAdd(ticket, 1);
    }
    __syncthreads();
    int tile = shared_tile;
    int first = tile * TILE;
    // Rows of the block, one item of each thread at a time.
    int scanned[ITEMS_PER_THREAD];
    int sum = 0;
    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        int i = first + item * BLOCK_SIZE + threadIdx.x;
        int of_row;
        scanned[item] = sum + inclusive_of_block(i < n ? in[i] : 0, of_row);
        sum += of_row;
        __syncthreads();
    }
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) {
            status[tile].sum = sum;
            store_release(&status[tile].flag, SUM);
        }
        int before = look_back(status, tile);
        if (threadIdx.x == 0) {
            status[tile].prefix = before + sum;
            store_release(&status[tile].flag, PREFIX);
            shared_before = before;
        }
    }
    __syncthreads();
    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        int i = first + item * BLOCK_SIZE + threadIdx.x;
        if (i < n) {
            out[i] = shared_before + scanned[item];
        }
    }
}
