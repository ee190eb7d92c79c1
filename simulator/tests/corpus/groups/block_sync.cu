// The block's barrier through cooperative groups.
//@ run --entry reverse --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at store and load
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void reverse(const int* in, int* out)
{
    __shared__ int s[64];
    auto block = cg::this_thread_block();
    int t = block.thread_rank();
    s[t] = in[t]; // <- store
#if !DEFECT
    block.sync();
#endif
    out[t] = s[63 - t]; // <- load
}
