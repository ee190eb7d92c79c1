// Room in an output by the library's scan of a tile, warps' totals by a second scan, all by groups.
//@ run --entry expand --grid 1 --block 96 --arg in:i32:96=iota --arg out:i32:240
//! clean
//! defect 1: race at total and offset
//! defect 2: race at offset and start
//! defect 3: race at put
//! defect 4: out_of_bounds at put; arg1=out:i32:180
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void expand(const int* in, int* out)
{
    __shared__ int totals[3];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int n = in[block.thread_rank()] % 5;
    int before = cg::exclusive_scan(warp, n, cg::plus<int>());
    if (warp.thread_rank() == 31) totals[warp.meta_group_rank()] = before + n; // <- total
#if DEFECT != 1
    block.sync();
#endif
    if (warp.meta_group_rank() == 0) {
        int mine = warp.thread_rank() < 3 ? totals[warp.thread_rank()] : 0; // <- offset
        int sum = cg::inclusive_scan(warp, mine);
        if (warp.thread_rank() < 3) totals[warp.thread_rank()] = sum - mine; // <- offset
    }
#if DEFECT != 2
    block.sync();
#endif
    int start = totals[warp.meta_group_rank()] + before; // <- start
#if DEFECT == 3
    for (int k = 0; k <= n; ++k) out[start + k] = block.thread_rank(); // <- put
#else
    for (int k = 0; k < n; ++k) out[start + k] = block.thread_rank(); // <- put
#endif
}
