// Tiles of 64 threads, which the library keeps together over shared memory; each turns its part around.
//@ run --entry turn --grid 1 --block 256 --arg in:i32:256=iota --arg out:i32:256
//! clean
//! defect 1: race at put and get
//! defect 2: race at put and get
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void turn(const int* in, int* out)
{
    __shared__ int s[256];
    __shared__ cg::block_tile_memory<256> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<64>(block);
    int t = threadIdx.x, base = tile.meta_group_rank() * 64, rank = tile.thread_rank();
    for (int round = 0; round < 2; ++round) {
        s[base + rank] = in[t] + round; // <- put
#if DEFECT == 1
        __syncwarp();
#else
        tile.sync();
#endif
        out[t] = s[base + 63 - rank]; // <- get
#if DEFECT != 2
        tile.sync();
#endif
    }
}
