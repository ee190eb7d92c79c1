// Tiles of a warp exchange through shared memory.
//@ run --entry exchange --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at store and load
//! defect 2: race at store and load
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void exchange(const int* in, int* out)
{
    __shared__ int s[64];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    auto part = cg::tiled_partition<8>(block);
    int t = threadIdx.x, lane = tile.thread_rank();
    s[t] = in[t]; // <- store
#if DEFECT == 2
    part.sync();
#elif !DEFECT
    tile.sync();
#endif
    out[t] = s[t - lane + 31 - lane] + part.size(); // <- load
}
