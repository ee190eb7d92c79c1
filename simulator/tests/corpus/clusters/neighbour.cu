// Every block of a cluster reads the array of the next one.
//@ run --entry neighbour --grid 4 --block 64 --cluster 2 --arg out:i32:256
//! clean
//! defect 1: race at write and read
//! defect 2: race at write and read
//! defect 3: race at read
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void neighbour(int* out)
{
    __shared__ int mine[64];
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x;
    mine[t] = blockIdx.x * 100 + t; // <- write
#if DEFECT == 1
#elif DEFECT == 2
    __syncthreads();
#else
    cluster.sync();
#endif
    const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    const int* theirs = cluster.map_shared_rank(mine, next);
    out[blockIdx.x * 64 + t] = theirs[t]; // <- read
#if DEFECT != 3
    cluster.sync();
#endif
}
