// A lock in the shared memory of the first block of a cluster, which guards a sum there.
//@ run --entry lock --grid 8 --block 64 --cluster 4 --arg out:i32:2
//! clean
//! defect 1: race at sum
//! defect 2: race at sum|read
//! defect 3: race at take|sum|give
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void lock(int* out)
{
    __shared__ int taken, sum;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) taken = sum = 0;
    cluster.sync();
    int* theirs = cluster.map_shared_rank(&taken, 0);
    int* total = cluster.map_shared_rank(&sum, 0);
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(theirs, 0, 1) != 0) {} // <- take
#if DEFECT != 1
        __threadfence();
#endif
        *total = *total + 1; // <- sum
#if DEFECT != 1
        __threadfence();
#endif
        atomicExch(theirs, 0); // <- give
    }
#if DEFECT == 2
    __syncthreads();
#elif DEFECT != 3
    cluster.sync();
#endif
#if DEFECT == 3
    if (cluster.block_rank() == 3 && threadIdx.x == 0) out[blockIdx.x / 4] = 0;
#else
    if (cluster.block_rank() == 0 && threadIdx.x == 0) out[blockIdx.x / 4] = sum; // <- read
#endif
#if DEFECT == 2
    cluster.sync();
#endif
}
