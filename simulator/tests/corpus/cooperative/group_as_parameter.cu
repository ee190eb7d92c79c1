// A device function that takes any group: it syncs that group only, so what it shares must be that group's.
//@ run --entry generic --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at put and get
//! defect 2: race at get and put
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <class Group> __device__ int rotate(const Group& g, int* s, int v)
{
    s[g.thread_rank()] = v; // <- put
    g.sync();
    v = s[(g.thread_rank() + 1) % g.size()]; // <- get
#if DEFECT != 2
    g.sync();
#endif
    return v;
}
extern "C" __global__ void generic(const int* in, int* out)
{
    __shared__ int s[64];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int v = in[threadIdx.x];
#if DEFECT == 1
    v = rotate(tile, s + tile.meta_group_rank() / 2 * 8, v);
#else
    v = rotate(tile, s + tile.meta_group_rank() * 8, v);
#endif
    block.sync();
    v = rotate(block, s, v);
    v = rotate(block, s, v);
    out[threadIdx.x] = v;
}
