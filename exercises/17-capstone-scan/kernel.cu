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
// <<<

extern "C" __global__ void inclusive_scan(const int *in, int *out, Status *status,
                                          unsigned int *ticket, int n) {
    // >>> your code: one tile of the running sums
    // <<<
}
