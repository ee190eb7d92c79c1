//@ run --entry forgotten --grid 2 --block 32 --arg out:i32:64
// Written for clusters of two, and launched without clusters.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void forgotten(int* out)
{
    __shared__ int mine[32];
    auto cluster = cg::this_cluster();
    mine[threadIdx.x] = threadIdx.x;
    cluster.sync();
    out[blockIdx.x * 32 + threadIdx.x] = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1)[threadIdx.x];
    cluster.sync();
}
