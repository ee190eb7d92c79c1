// The lanes that still have work form a group anew in each round and take places together.
//@ run --entry places --grid 1 --block 32 --arg in:i32:32=iota --arg inout:i32:1=zeros --arg inout:i32:512=zeros
//! clean
//! defect 1: race at place
//! defect 2: uninitialized_read at share; also=invalid_mask
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void places(const int* in, int* n, int* out)
{
    int left = in[threadIdx.x] * 5 % 9;
#if DEFECT == 2
    auto here = cg::coalesced_threads();
#endif
    while (left > 0) {
#if DEFECT != 2
        auto here = cg::coalesced_threads();
#endif
        int base = 0;
        if (here.thread_rank() == 0) {
#if DEFECT == 1
            base = *n; // <- place
            *n = base + here.size(); // <- place
#else
            base = atomicAdd(n, here.size());
#endif
        }
        base = here.shfl(base, 0); // <- share
        out[(base + here.thread_rank()) % 512] = left--;
    }
}
//! label 2: was invalid_mask at the shuffle: its lanes may leave; what is wrong is to use what a lane that left gives
