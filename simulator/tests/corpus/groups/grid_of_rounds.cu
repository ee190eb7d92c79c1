// A cooperative grid smooths a line round by round, from one buffer to the other; the whole grid meets after each round.
//@ run --entry smooth --grid 3 --block 32 --cooperative --arg inout:i32:96=iota --arg inout:i32:96=zeros
//! clean
//! defect 1: race at store and load
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void smooth(int* a, int* b)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    int* from = a;
    int* to = b;
    for (int k = 0; k < 3; ++k) {
        int left = i > 0 ? from[i - 1] : 0; // <- load
        to[i] = left + from[i]; // <- store
#if DEFECT
        __syncthreads();
#else
        cg::this_grid().sync();
#endif
        int* next = from;
        from = to;
        to = next;
    }
}
