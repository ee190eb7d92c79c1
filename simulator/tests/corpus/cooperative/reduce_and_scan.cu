// Reduction and scan of a tile by the library, several tiles a block; the tiles' totals meet by a barrier.
//@ run --entry totals --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at keep and look
//! defect 2: race at keep
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void totals(const int* in, int* out)
{
    __shared__ int s[4];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int t = threadIdx.x, sum = cg::reduce(tile, in[t], cg::plus<int>());
#if DEFECT == 2
    if (tile.thread_rank() < 2) s[tile.meta_group_rank()] = sum + tile.thread_rank(); // <- keep
#else
    if (tile.thread_rank() == 3) s[tile.meta_group_rank()] = sum; // <- keep
#endif
#if DEFECT == 1
    tile.sync();
#else
    block.sync();
#endif
    out[t] = s[3 - tile.meta_group_rank()]; // <- look
}
