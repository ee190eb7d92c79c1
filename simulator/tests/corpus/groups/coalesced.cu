// The lanes in a branch form a group of their own; the tile of the whole warp may not be used there.
//@ run --entry aggregate --grid 1 --block 32 --arg in:i32:32=iota --arg inout:i32:1=zeros --arg out:i32:32
//! clean
//! defect 1: invalid_mask note at tell
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void aggregate(const int* in, int* n, int* out)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x;
    out[t] = -1;
    if (in[t] % 4 != 0) {
        auto here = cg::coalesced_threads();
        int base = 0;
        if (here.thread_rank() == 0) base = atomicAdd(n, here.size());
#if DEFECT
        base = tile.shfl(base, 1); // <- tell
#else
        base = here.shfl(base, 0);
#endif
        out[t] = base + here.thread_rank();
    }
}
//! label 1: was an error; CUDA asks only lanes that have not left the kernel to come to any warp-wide operation, the hardware goes on without them, and these left before they worked with another
