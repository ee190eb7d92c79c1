// Tiles of eight loop as long as one of their lanes wants to.
//@ run --entry settle --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: invalid_mask at vote
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void settle(const int* in, int* out)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int v = in[threadIdx.x], rounds = 0;
#if DEFECT
    while (v > 4 && tile.any(v > 0)) { // <- vote
#else
    while (tile.any(v > 4)) {
#endif
        v /= 2;
        ++rounds;
    }
    out[threadIdx.x] = v + rounds;
}
