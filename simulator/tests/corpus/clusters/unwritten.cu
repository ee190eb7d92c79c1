// What is read from another block has been written there, all of it.
//@ run --entry unwritten --grid 2 --block 32 --cluster 2 --arg out:i32:64
//! clean
//! defect 1: uninitialized_read at read
//! defect 2: uninitialized_read at test
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void unwritten(int* out)
{
    __shared__ int mine[32];
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x;
#if DEFECT
    if (t < 31) mine[t] = 7 * t;
#else
    mine[t] = 7 * t;
#endif
    cluster.sync();
    const int* theirs = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
#if DEFECT == 2
    out[blockIdx.x * 32 + t] = 0;
    if (theirs[t] > 100) out[blockIdx.x * 32 + t] = 1; // <- test
#else
    out[blockIdx.x * 32 + t] = theirs[t]; // <- read
#endif
    cluster.sync();
}
