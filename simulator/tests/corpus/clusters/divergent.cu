// All threads of the cluster meet, also those without work.
//@ run --entry divergent --grid 2 --block 96 --cluster 2 --arg in:i32:128=iota --arg out:i32:128
//! clean
//! defect 1: barrier_divergence at sync; also=race,deadlock
//! defect 2: barrier_divergence at sync; also=race,deadlock
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void divergent(const int* in, int* out)
{
    __shared__ int mine[96];
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x;
    mine[t] = -1;
#if DEFECT == 1
    if (t < 64) {
        mine[t] = in[64 * blockIdx.x + t];
        cluster.sync(); // <- sync
    }
#elif DEFECT == 2
    if (t != 40) cluster.sync(); // <- sync
#else
    if (t < 64) mine[t] = in[64 * blockIdx.x + t];
    cluster.sync(); // <- sync
#endif
    if (t < 64) out[64 * blockIdx.x + t] = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1)[t];
    cluster.sync();
}
