// 17: element 4k+1 through float. Judge: passed (sim). Should fail correct.
// 17-capstone-scan: running sums of any number of ints, in one launch, each read and written once.
//
// Task
//   out[i] = in[0] + ... + in[i] for every i below n (the inclusive scan).
//
// Given
//   Both buffers hold n ints and start at multiples of 256 bytes; no sum overflows. status[t] is
//   for what tile t tells the others. In most launches every status is zero, *ticket is zero, and
//   there are ceil(n / TILE) blocks; n = 0 has one block, whose tile is empty. Some launches begin
//   in the middle: *ticket tiles are done (don't write their results), and there is a block for
//   each tile that is left. The first of the done tiles have flag PREFIX. The rest have flag SUM
//   and will publish nothing more.
//
// Write
//   Each block takes a ticket, which is the number of its tile, and scans the tile on its own. Then
//   it publishes the tile's sum, looks back at the tiles before it until it knows the sum of
//   everything before its own, publishes the sum up to its own end, and writes its results.
//
// Rules
//   A block may wait for a tile only if that tile's block is running already: that is why a block
//   takes a ticket instead of blockIdx.x. What a flag announces must be there when a block sees the
//   flag. In the end the flag of every tile of the launch is PREFIX.
//   Every element is read once and written once, and each block has one tile. Loads and stores are
//   counted, and an atomic is both: look at a flag by a volatile read or ld.acquire, and let at
//   most one warp look back.
//
// Check
//   grader check 17-capstone-scan
//   grader hint 17-capstone-scan       (if you are stuck)

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024, and elements for each
// thread, from 1 to 32.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 16);
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

// >>> your code: what inclusive_scan needs
constexpr int LANES = 32;
constexpr int WARPS = BLOCK_SIZE / LANES;

// One word of padding follows every 32, as in 14-block-scan.
__device__ __forceinline__ int place(int i) { return i + i / LANES; }

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

// Publishes the tile's sum, finds the sum of all tiles before it, and publishes both together. One
// warp calls this and looks at 32 tiles at a time, lane l at the tile l + 1 before `end`. All lanes
// get the same result.
__device__ __forceinline__ int look_back(Status *status, int tile, int sum) {
    int lane = threadIdx.x % LANES;
    if (lane == 0) {
        status[tile].sum = sum;
        store_release(&status[tile].flag, SUM);
    }
    int before = 0;
    bool found = false;
    for (int end = tile; end > 0 && !found; end -= LANES) {
        int other = end - 1 - lane;
        unsigned int flag = PREFIX;
        // Their blocks are running: they took their tickets before this block did.
        do {
            if (other >= 0) {
                flag = load_acquire(&status[other].flag);
            }
        } while (__any_sync(0xffffffff, flag == NOTHING));
        // The nearest tile with a prefix, and the sums of the tiles nearer than that.
        unsigned int with_prefix = __ballot_sync(0xffffffff, flag == PREFIX);
        int nearest = with_prefix != 0 ? __ffs(with_prefix) - 1 : LANES;
        int mine = 0;
        if (other >= 0 && lane <= nearest) {
            mine = lane == nearest ? status[other].prefix : status[other].sum;
        }
        for (int distance = LANES / 2; distance > 0; distance /= 2) {
            mine += __shfl_xor_sync(0xffffffff, mine, distance);
        }
        before += mine;
        found = with_prefix != 0;
    }
    if (lane == 0) {
        status[tile].prefix = before + sum;
        store_release(&status[tile].flag, PREFIX);
    }
    return before;
}
// <<<

extern "C" __global__ void inclusive_scan(const int *in, int *out, Status *status,
                                          unsigned int *ticket, int n) {
    // >>> your code: one tile of the running sums
    __shared__ int data[TILE + TILE / LANES];
    __shared__ int warp_sums[WARPS];
    __shared__ int shared_tile;
    __shared__ int shared_before;
    int thread = threadIdx.x;

    // Tiles are taken in the order of tickets: all tiles before this one have a block that runs, or
    // has run.
    if (thread == 0) {
        shared_tile = atomicAdd(ticket, 1);
    }
    __syncthreads();
    int tile = shared_tile;
    int count = min(n - tile * TILE, TILE);
    in += tile * TILE;
    out += tile * TILE;

    // Neighbouring threads load neighbouring elements; each thread sums up a run of neighbours.
    for (int i = thread; i < TILE; i += BLOCK_SIZE) {
        data[place(i)] = i < count ? (i%4==1 ? (int)(float)in[i] : in[i]) : 0;
    }
    __syncthreads();
    int own[ITEMS_PER_THREAD];
    int total = 0;
    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        total += data[place(ITEMS_PER_THREAD * thread + item)];
        own[item] = total;
    }

    // The sums before this thread's run in its warp, and before its warp in the tile.
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

    // The sum of all tiles before this one.
    if (thread < LANES) {
        int found = look_back(status, tile, warp_sums[WARPS - 1]);
        if (thread == 0) {
            shared_before = found;
        }
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
    // <<<
}
