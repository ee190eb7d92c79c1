//@ run --entry remote --grid 2 --block 32 --cluster 2 --arg out:i32:64
// The other block wrote only half of what is read there.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void remote(int* out)
{
    __shared__ int mine[32];
    auto cluster = cg::this_cluster();
    if (threadIdx.x < 16) mine[threadIdx.x] = threadIdx.x;
    cluster.sync();
    out[blockIdx.x * 32 + threadIdx.x] = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1)[threadIdx.x];
    cluster.sync();
}
