// The leader of each tile of eight writes a sum where the whole block reads it.
//@ run --entry sums --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at write and read
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void sums(const int* in, int* out)
{
    __shared__ int part[8];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int t = threadIdx.x;
    int sum = cg::reduce(tile, in[t], cg::plus<int>());
    if (tile.thread_rank() == 0) part[tile.meta_group_rank()] = sum; // <- write
#if DEFECT
    tile.sync();
#else
    block.sync();
#endif
    out[t] = part[(t / 8 + 1) % 8]; // <- read
}
