// Steps of a stencil over the whole grid, two buffers, a sync of the grid between the steps.
//@ run --entry steps --grid 4 --block 32 --arg inout:i32:130=iota --arg inout:i32:130=zeros --arg i32:128 --arg i32:3 --cooperative
//! clean
//! defect 1: race at step
//! defect 2: race at step
//! defect 3: race at step and edge
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void steps(int* a, int* b, int n, int rounds)
{
    auto grid = cg::this_grid();
    int i = grid.thread_rank() + 1;
    for (int k = 0; k < rounds; ++k) {
        b[i] = a[i - 1] + a[i + 1]; // <- step
#if DEFECT == 3
        if (i == n) b[0] = b[1]; // <- edge
#else
        if (i == 1) b[0] = b[1]; // <- edge
#endif
#if DEFECT == 1
        cg::this_thread_block().sync();
#elif DEFECT == 2
        if (k % 2) grid.sync();
#else
        grid.sync();
#endif
        int* c = a;
        a = b;
        b = c;
    }
}
