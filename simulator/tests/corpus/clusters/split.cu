// Arriving at the barrier of the cluster and waiting there apart, with work of the block's own between.
//@ run --entry split --grid 2 --block 64 --cluster 2 --arg out:i32:128
//! clean
//! defect 1: race at write and read
//! defect 2: race at late and read
//! defect 3: barrier_divergence at again
//! defect 4: barrier_divergence at wait; also=race
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void split(int* out)
{
    __shared__ int mine[64];
    __shared__ int own[64];
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x;
    mine[t] = t; // <- write
#if DEFECT == 1
    __cluster_barrier_arrive_relaxed();
#elif DEFECT != 4
    __cluster_barrier_arrive();
#endif
#if DEFECT == 2
    if (t == 5) mine[t] = 50; // <- late
#endif
#if DEFECT == 3
    if (t < 32) __cluster_barrier_arrive(); // <- again
#endif
    own[t] = t * t;
    __syncthreads();
    const int sum = own[t] + own[63 - t];
    __cluster_barrier_wait(); // <- wait
    const int* theirs = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
    out[blockIdx.x * 64 + t] = sum + theirs[t]; // <- read
    cluster.sync();
}
