// Tiles of four warps reduce and scan together. The library hands values on between its warps through memory of its own, in its own way.
//@ run --entry sums --grid 2 --block 256 --arg in:i32:512=iota --arg out:i32:512
//! clean
//! defect 1: race at put and get
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void sums(const int* in, int* out)
{
    __shared__ int first[2];
    auto tile = cg::tiled_partition<128>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    int sum = cg::reduce(tile, v, cg::plus<int>());
    int most = cg::reduce(tile, v, cg::greater<int>());
    int before = cg::exclusive_scan(tile, v, cg::plus<int>());
    if (tile.thread_rank() == 0) first[tile.meta_group_rank()] = sum; // <- put
#if !DEFECT
    tile.sync();
#endif
    out[i] = first[tile.meta_group_rank()] + most + before + tile.any(v == 3); // <- get
}
