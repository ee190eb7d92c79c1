//@ run --entry left --grid 4 --block 32 --cluster 4 --arg out:i32:128
// Blocks without work leave, and the others meet without them: a warning.
#include <cooperative_groups.h>
extern "C" __global__ void left(int* out)
{
    if (blockIdx.x >= 3) return;
    cooperative_groups::this_cluster().sync();
    out[blockIdx.x * 32 + threadIdx.x] = 1;
}
