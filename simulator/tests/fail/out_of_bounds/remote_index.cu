//@ run --entry beyond --grid 2 --block 32 --cluster 2 --arg out:i32:64
// One element past the end of the other block's array.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void beyond(int* out)
{
    __shared__ int mine[32];
    __shared__ int other[32];
    auto cluster = cg::this_cluster();
    mine[threadIdx.x] = other[threadIdx.x] = threadIdx.x;
    cluster.sync();
    out[blockIdx.x * 32 + threadIdx.x] = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1)[threadIdx.x + 1]
        + cluster.map_shared_rank(other, 0)[threadIdx.x];
    cluster.sync();
}
