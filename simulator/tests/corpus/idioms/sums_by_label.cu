// Lanes with the same label form a group and sum; the group's first lane adds the sum for all.
//@ run --entry sums --grid 1 --block 64 --arg in:i32:64=iota --arg inout:i32:5=zeros
//! clean
//! defect 1: race at add
//! defect 2: invalid_mask warning at all
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void sums(const int* in, int* total)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x, label = in[t] * 7 % 5;
    auto same = cg::labeled_partition(warp, label);
    int sum = cg::reduce(same, in[t], cg::plus<int>());
    if (same.thread_rank() == 0) {
#if DEFECT == 1
        total[label] += sum; // <- add
#elif DEFECT == 2
        atomicAdd(&total[label], sum + __shfl_sync(0xffffffffu, sum, 0)); // <- all
#else
        atomicAdd(&total[label], sum);
#endif
    }
}
//! label 2: was an error; CUDA asks only lanes that have not left the kernel to come to any warp-wide operation, the hardware goes on without them
