// An inclusive scan by cooperative groups, then an offset for every warp through shared memory.
//@ run --entry scan --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at put and get
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void scan(const int* in, int* out)
{
    __shared__ int last[2];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    int t = threadIdx.x;
    int v = cg::inclusive_scan(tile, in[t], cg::plus<int>());
    if (tile.thread_rank() == 31) {
        last[t / 32] = v; // <- put
    }
#if !DEFECT
    block.sync();
#endif
    if (t >= 32) {
        v += last[0]; // <- get
    }
    out[t] = v;
}
