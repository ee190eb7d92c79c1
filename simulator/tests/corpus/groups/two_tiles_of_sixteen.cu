// Tiles of sixteen sync by themselves: a tile's own words are ordered, its neighbour's are not.
//@ run --entry tiles --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: race at put and get
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void tiles(const int* in, int* out)
{
    __shared__ int s[32];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int t = threadIdx.x;
    s[t] = in[t]; // <- put
    tile.sync();
#if DEFECT
    out[t] = s[31 - t]; // <- get
#else
    int first = t / 16 * 16;
    out[t] = s[first + 15 - t % 16];
#endif
}
