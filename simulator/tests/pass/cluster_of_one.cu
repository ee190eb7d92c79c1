//@ run --entry alone --grid 3 --block 64 --arg out:i32:192
// Without clusters each block is one: the barrier of the cluster is one of the block.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void alone(int* out)
{
    __shared__ int mine[64];
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x;
    mine[t] = t * t;
    cluster.sync();
    const int* same = cluster.map_shared_rank(mine, 0);
    out[blockIdx.x * 64 + t] = same[63 - t] + 10000 * cluster.block_rank() + 100000 * cluster.num_blocks();
}
