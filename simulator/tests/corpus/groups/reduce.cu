// A sum by cg::reduce, its result published by one thread of each tile.
//@ run --entry sums --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at put and get
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void sums(const int* in, int* out)
{
    __shared__ int part[2];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    int t = threadIdx.x;
    int v = cg::reduce(tile, in[t], cg::plus<int>());
    if (tile.thread_rank() == 0) {
        part[t / 32] = v; // <- put
    }
#if DEFECT
    tile.sync();
#else
    block.sync();
#endif
    out[t] = part[0] + part[1]; // <- get
}
