// Two grid-wide phases in a cooperative launch; between the second write and the third read one is missing.
//@ run --entry phases --grid 4 --block 32 --cooperative --arg inout:i32:128=iota --arg inout:i32:128=zeros --arg out:i32:128
//! clean
//! defect 1: race at second and third
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void phases(int* a, int* b, int* out)
{
    auto grid = cg::this_grid();
    int i = grid.thread_rank();
    a[i] += 1;
    grid.sync();
    b[i] = a[127 - i] * 2; // <- second
#if !DEFECT
    grid.sync();
#endif
    out[i] = b[(i + 64) % 128]; // <- third
}
