//@ run --entry skipped --grid 2 --block 64 --cluster 2 --arg out:i32:128
// Half of each block does not come to the barrier of the cluster.
#include <cooperative_groups.h>
extern "C" __global__ void skipped(int* out)
{
    if (threadIdx.x < 32) cooperative_groups::this_cluster().sync();
    out[blockIdx.x * 64 + threadIdx.x] = 1;
}
