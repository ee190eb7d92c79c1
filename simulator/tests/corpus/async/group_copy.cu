// cooperative_groups::memcpy_async by a block, and its wait.
//@ run --entry fetch --grid 1 --block 64 --arg in:i32:128=iota --arg out:i32:64
//! clean
//! defect 1: race at first|second and use
//! defect 2: race at second and use
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
extern "C" __global__ void fetch(const int* in, int* out)
{
    __shared__ int s[128];
    auto block = cg::this_thread_block();
    int t = threadIdx.x;
    cg::memcpy_async(block, s, in, sizeof(int) * 64); // <- first
    cg::memcpy_async(block, s + 64, in + 64, sizeof(int) * 64); // <- second
#if DEFECT == 1
    block.sync();
#elif DEFECT == 2
    cg::wait_prior<1>(block);
#else
    cg::wait(block);
#endif
    out[t] = s[127 - t]; // <- use
}
