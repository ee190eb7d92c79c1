// cooperative_groups::memcpy_async of a whole tile by the block, wait, use; the last tile is shorter.
//@ run --entry tiles --grid 1 --block 48 --arg in:i32:200=iota --arg out:i32:200 --arg i32:200
//! clean
//! defect 1: race at fetch and use
//! defect 2: race at use and fetch
//! defect 3: out_of_bounds at fetch|library
//! defect 4: uninitialized_read at use|put
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
extern "C" __global__ void tiles(const int* in, int* out, int n)
{
    __shared__ int s[64];
    auto block = cg::this_thread_block();
    for (int first = 0; first < n; first += 64) {
#if DEFECT == 3
        int count = 64; // <- library
#else
        int count = min(64, n - first);
#endif
#if DEFECT == 4
        cg::memcpy_async(block, s, in + first, sizeof(int) * (count - 1)); // <- fetch
#else
        cg::memcpy_async(block, s, in + first, sizeof(int) * count); // <- fetch
#endif
#if DEFECT == 1
        block.sync();
#else
        cg::wait(block);
#endif
        for (int i = block.thread_rank(); i < min(64, n - first); i += block.size()) {
            int v = s[min(64, n - first) - 1 - i]; // <- use
            out[first + i] = v; // <- put
        }
#if DEFECT != 2
        block.sync();
#endif
    }
}
