//@ run --entry halves --grid 2 --block 64 --cluster 2 --arg out:i32:128
// A barrier of the block where one of the cluster is needed.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void halves(int* out)
{
    __shared__ int mine[64];
    auto cluster = cg::this_cluster();
    const int* theirs = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
    mine[threadIdx.x] = 0;
    cluster.sync();
    mine[threadIdx.x] = blockIdx.x + threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = theirs[threadIdx.x];
    cluster.sync();
}
