// A shuffle within tiles of sixteen, called by whole tiles or by half of one.
//@ run --entry fold --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: invalid_mask at shuffle
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void fold(const int* in, int* out)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int t = threadIdx.x, v = in[t];
#if DEFECT
    if (t < 24) {
#else
    if (t < 32) {
#endif
        for (int d = 8; d > 0; d /= 2) {
            v += tile.shfl_xor(v, d); // <- shuffle
        }
    }
    out[t] = v;
}
