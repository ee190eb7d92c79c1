// A warp is parted by a predicate: each part adds up by itself and its first lane takes room for all of it.
//@ run --entry parts --grid 1 --block 64 --arg in:i32:64=iota --arg inout:i32:2=zeros --arg out:i32:128
//! clean
//! defect 1: race at room
//! defect 2: race at sum and pick
//! defect 3: race at sum and pick
//! defect 4: out_of_bounds at put; arg2=out:i32:90
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void parts(const int* in, int* used, int* out)
{
    __shared__ int sums[4];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int t = threadIdx.x, v = in[t], odd = v & 1;
    auto part = cg::binary_partition(warp, odd);
    int sum = cg::reduce(part, v, cg::plus<int>()), base = 0;
    if (part.thread_rank() == 0) {
#if DEFECT == 1
        base = used[odd]; // <- room
        used[odd] = base + part.size(); // <- room
#else
        base = atomicAdd(&used[odd], part.size());
#endif
        sums[warp.meta_group_rank() * 2 + odd] = sum; // <- sum
    }
    base = part.shfl(base, 0);
#if DEFECT == 2
    part.sync();
#elif DEFECT == 3
    warp.sync();
#else
    block.sync();
#endif
#if DEFECT == 2
    int other = sums[warp.meta_group_rank() * 2 + 1 - odd]; // <- pick
#else
    int other = sums[(1 - warp.meta_group_rank()) * 2 + 1 - odd]; // <- pick
#endif
    out[odd * 64 + base + part.thread_rank()] = v + other; // <- put
}
