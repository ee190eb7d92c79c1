//! style: int4 in and out, tiles that wait sleep between looks; a class for the chain of tiles.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 96);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 4);
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

class Chain {
  public:
    __device__ Chain(Status *status, unsigned int *ticket) : status_(status) {
        __shared__ int tile;
        if (threadIdx.x == 0) {
            tile = atomicAdd(ticket, 1);
        }
        __syncthreads();
        tile_ = tile;
    }
    __device__ int tile() const { return tile_; }
    // The sum of all tiles before this one, whose own sum is `sum`. All threads must call it.
    __device__ int before(int sum) {
        __shared__ int found;
        if (threadIdx.x == 0) {
            announce(SUM, &Status::sum, sum);
            found = 0;
            for (int other = tile_ - 1; other >= 0 && !add(other, found); --other) {
            }
            announce(PREFIX, &Status::prefix, found + sum);
        }
        __syncthreads();
        return found;
    }

  private:
    __device__ void announce(unsigned int flag, int Status::*place, int value) {
        status_[tile_].*place = value;
        store_release(&status_[tile_].flag, flag);
    }
    // True if nothing is left to add.
    __device__ bool add(int other, int &found) const {
        unsigned int flag = load_acquire(&status_[other].flag);
        for (unsigned int nanoseconds = 8; flag == NOTHING;
             nanoseconds = min(256u, 2 * nanoseconds)) {
            __nanosleep(nanoseconds);
            flag = load_acquire(&status_[other].flag);
        }
        found += flag == PREFIX ? status_[other].prefix : status_[other].sum;
        return flag == PREFIX;
    }

    Status *status_;
    int tile_;
};

extern "C" __global__ void inclusive_scan(const int *in, int *out, Status *status,
                                          unsigned int *ticket, int n) {
    Chain chain(status, ticket);
    int i = chain.tile() * TILE + threadIdx.x * ITEMS_PER_THREAD;
    int4 items = {0, 0, 0, 0};
    if (i + 3 < n) {
        items = *reinterpret_cast<const int4 *>(&in[i]);
    } else {
        items.x = i < n ? in[i] : 0;
        items.y = i + 1 < n ? in[i + 1] : 0;
        items.z = i + 2 < n ? in[i + 2] : 0;
    }
    items.y += items.x;
    items.z += items.y;
    items.w += items.z;
    int sum;
    int before = inclusive_of_block(items.w, sum) - items.w;
    before += chain.before(sum);
    items.x += before;
    items.y += before;
    items.z += before;
    items.w += before;
    if (i + 3 < n) {
        *reinterpret_cast<int4 *>(&out[i]) = items;
    } else {
        if (i < n) {
            out[i] = items.x;
        }
        if (i + 1 < n) {
            out[i + 1] = items.y;
        }
        if (i + 2 < n) {
            out[i + 2] = items.z;
        }
    }
}
