//! style: cub: block load, scan and store; the look-back as a callback of the scan.

#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 128);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 16);
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

using Load = cub::BlockLoad<int, BLOCK_SIZE, ITEMS_PER_THREAD, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
using Store = cub::BlockStore<int, BLOCK_SIZE, ITEMS_PER_THREAD, cub::BLOCK_STORE_WARP_TRANSPOSE>;
using Scan = cub::BlockScan<int, BLOCK_SIZE>;

// The first warp calls this with the tile's sum; its first lane returns the sum before the tile.
class LookBack {
  public:
    __device__ LookBack(Status *status, int tile) : status_(status), tile_(tile) {}
    __device__ int operator()(int sum) {
        int before = 0;
        if (threadIdx.x == 0) {
            status_[tile_].sum = sum;
            store_release(&status_[tile_].flag, SUM);
            for (int other = tile_ - 1; other >= 0; --other) {
                unsigned int flag = NOTHING;
                while (flag == NOTHING) {
                    flag = load_acquire(&status_[other].flag);
                }
                if (flag == PREFIX) {
                    before += status_[other].prefix;
                    break;
                }
                before += status_[other].sum;
            }
            status_[tile_].prefix = before + sum;
            store_release(&status_[tile_].flag, PREFIX);
        }
        return before;
    }

  private:
    Status *status_;
    int tile_;
};

extern "C" __global__ void inclusive_scan(const int *in, int *out, Status *status,
                                          unsigned int *ticket, int n) {
    __shared__ union {
        Load::TempStorage load;
        Scan::TempStorage scan;
        Store::TempStorage store;
    } storage;
    __shared__ int tile;
    if (threadIdx.x == 0) {
        tile = atomicAdd(ticket, 1);
    }
    __syncthreads();
    int first = tile * TILE;
    int count = min(TILE, n - first);
    int items[ITEMS_PER_THREAD];
    Load(storage.load).Load(in + first, items, count, 0);
    __syncthreads();
    LookBack look_back(status, tile);
    Scan(storage.scan).InclusiveSum(items, items, look_back);
    __syncthreads();
    Store(storage.store).Store(out + first, items, count);
}
