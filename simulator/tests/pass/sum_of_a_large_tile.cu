//@ run --entry sum --grid 1 --block 128 --arg in:i32:128=iota --arg out:i32:2
// A tile of more than a warp: the library's header hands values from warp to warp in shared memory of its own. What it does there is a
// note, and is said to be the header's.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void sum(const int* in, int* out)
{
    __shared__ cg::block_tile_memory<128> room;
    cg::thread_block block = cg::this_thread_block(room);
    auto tile = cg::tiled_partition<64>(block);
    int sum = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
    if (tile.thread_rank() == 0) out[threadIdx.x / 64] = sum;
}
