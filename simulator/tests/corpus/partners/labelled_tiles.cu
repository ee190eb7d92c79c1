// Tiles of four exchange among themselves; an index of the whole warp leads out of the tile.
//@ run --entry quads --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at put and get
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void quads(const int* in, int* out)
{
    __shared__ int s[64];
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    int t = threadIdx.x, first = t - tile.thread_rank();
    s[t] = in[t]; // <- put
    tile.sync();
#if DEFECT
    out[t] = s[(first + 4) % 64]; // <- get
#else
    out[t] = s[first + (tile.thread_rank() + 1) % 4];
#endif
}
