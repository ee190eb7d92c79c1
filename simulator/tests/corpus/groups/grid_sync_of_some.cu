// A block that has nothing to do leaves before the grid's barrier.
//@ run --entry phases --grid 3 --block 32 --cooperative --arg inout:i32:96=zeros --arg out:i32:96 --budget 3000000
//! clean
//! defect 1: deadlock at sync
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void phases(int* a, int* out)
{
    int i = blockIdx.x * 32 + threadIdx.x;
#if DEFECT
    if (blockIdx.x == 2) return;
#endif
    a[i] = i * i;
    cg::this_grid().sync(); // <- sync
#if DEFECT
    out[i] = a[63 - i];
#else
    out[i] = a[95 - i];
#endif
}
