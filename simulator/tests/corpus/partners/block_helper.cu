// A helper takes the group as an argument and syncs it: given the block it orders all, given a tile only a warp.
//@ run --entry spread --grid 1 --block 96 --arg in:i32:96=iota --arg out:i32:96
//! clean
//! defect 1: race at put and get
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <typename Group>
__device__ int exchange(Group group, int* s, int v)
{
    s[threadIdx.x] = v; // <- put
    group.sync();
    return s[95 - threadIdx.x]; // <- get
}
extern "C" __global__ void spread(const int* in, int* out)
{
    __shared__ int s[96];
    auto block = cg::this_thread_block();
#if DEFECT
    out[threadIdx.x] = exchange(cg::tiled_partition<32>(block), s, in[threadIdx.x]);
#else
    out[threadIdx.x] = exchange(block, s, in[threadIdx.x]);
#endif
}
