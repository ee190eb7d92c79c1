// Blocks with nothing to do stay for the barriers of the cluster.
//@ run --entry leavers --grid 4 --block 32 --cluster 4 --arg out:i32:64
//! clean
//! defect 1: barrier_divergence warning at sync
//! defect 2: barrier_divergence warning at sync
//! defect 3: race at read; also=barrier_divergence
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void leavers(int* out)
{
    __shared__ int mine[32];
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x, rank = cluster.block_rank();
#if DEFECT == 1
    if (rank >= 2) return;
#endif
    mine[t] = 10 * rank + t;
#if DEFECT == 2
    if (rank < 2)
#endif
    cluster.sync(); // <- sync
    const int other = rank ^ 1;
    if (rank < 2) out[32 * rank + t] = cluster.map_shared_rank(mine, other)[t]; // <- read
#if DEFECT == 3
    if (rank == 1) return;
#elif DEFECT == 2
    if (rank < 2)
#endif
    cluster.sync();
}
