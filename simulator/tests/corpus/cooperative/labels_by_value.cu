// A partition of a tile by value: each group elects its first and counts itself.
//@ run --entry groups --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:64
//! clean
//! defect 1: race at write
//! defect 2: race at put and get
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void groups(const int* in, int* out)
{
    __shared__ int s[32];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x, key = in[t] % 5;
    auto mine = cg::labeled_partition(tile, key);
    s[t] = in[t] * 3; // <- put
#if DEFECT != 2
    mine.sync();
#endif
    int next = (mine.thread_rank() + 1) % mine.size();
    out[t] = s[next * 5 + key]; // <- get
#if DEFECT == 1
    if (mine.thread_rank() < 2) out[32 + key] = mine.size() + t; // <- write
#else
    if (mine.thread_rank() == 0) out[32 + key] = mine.size();
#endif
}
