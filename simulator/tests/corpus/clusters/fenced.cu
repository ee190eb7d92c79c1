// An arrival that orders nothing by itself, behind a fence for the cluster.
//@ run --entry fenced --grid 2 --block 32 --cluster 2 --arg out:i32:64
//! clean
//! defect 1: race at write and read
//! defect 2: race at write and read
//! defect 3: race at write and read
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void fenced(int* out)
{
    __shared__ int mine[32];
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x;
#if DEFECT == 3
    asm volatile("fence.acq_rel.cluster;" ::: "memory");
#endif
    mine[t] = 3 * t; // <- write
#if DEFECT == 1 || DEFECT == 3
#elif DEFECT == 2
    asm volatile("fence.acq_rel.cta;" ::: "memory");
#else
    asm volatile("fence.acq_rel.cluster;" ::: "memory");
#endif
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    const int* theirs = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
    out[blockIdx.x * 32 + t] = theirs[31 - t]; // <- read
    cluster.sync();
}
