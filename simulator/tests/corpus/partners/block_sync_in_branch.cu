// The block's sync through cooperative groups, in a branch.
//@ run --entry some --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: barrier_divergence at inside|after
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void some(const int* in, int* out)
{
    __shared__ int s[64];
    auto block = cg::this_thread_block();
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = in[t];
#if DEFECT
        block.sync(); // <- inside
#endif
    }
    block.sync(); // <- after
    out[t] = s[t % 32];
}
