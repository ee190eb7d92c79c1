//@ run --entry begun --grid 2 --block 32 --cluster 2 --arg out:i32:64
// A store into a block that may not be there yet.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void begun(int* out)
{
    __shared__ int mine[32];
    auto cluster = cg::this_cluster();
    cluster.map_shared_rank(mine, cluster.block_rank() ^ 1)[threadIdx.x] = threadIdx.x;
    cluster.sync();
    out[blockIdx.x * 32 + threadIdx.x] = mine[threadIdx.x];
}
