//@ run --entry halves --grid 2 --block 64 --cluster 2 --arg out:i32:128
// Blocks of a cluster read each other's numbers behind a barrier at which they arrive relaxed.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void halves(int* out)
{
    __shared__ int mine[64];
    auto cluster = cg::this_cluster();
    const int* theirs = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
    mine[threadIdx.x] = blockIdx.x + threadIdx.x;
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    out[blockIdx.x * 64 + threadIdx.x] = theirs[threadIdx.x];
    cluster.sync();
}
