// Two phases of a cooperative launch; a block's barrier does not separate them for the others.
//@ run --entry phases --grid 3 --block 64 --cooperative --arg inout:i32:192=zeros --arg out:i32:192
//! clean
//! defect 1: race at first and second
//! defect 2: race at first and second
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void phases(int* a, int* out)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    a[i] = i * i; // <- first
#if DEFECT == 1
    __threadfence();
#elif DEFECT == 2
    cg::this_thread_block().sync();
#else
    cg::this_grid().sync();
#endif
    out[i] = a[191 - i]; // <- second
}
