//@ run --entry stuck --grid 2 --block 32 --cluster 2 --arg out:i32:64
// One block waits for the cluster, the other for threads that it does not have.
#include <cooperative_groups.h>
extern "C" __global__ void stuck(int* out)
{
    auto cluster = cooperative_groups::this_cluster();
    if (cluster.block_rank() == 1) asm volatile("bar.sync 1, 64;" ::: "memory");
    cluster.sync();
    out[blockIdx.x * 32 + threadIdx.x] = 1;
}
