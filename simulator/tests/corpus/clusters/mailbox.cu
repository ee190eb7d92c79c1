// Blocks store into each other's shared memory.
//@ run --entry mailbox --grid 4 --block 64 --cluster 2 --arg out:i32:256
//! clean
//! defect 1: race at push
//! defect 2: race at push and take
//! defect 3: out_of_bounds at push
//! defect 4: race at push
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void mailbox(int* out)
{
    __shared__ int box[64];
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x;
#if DEFECT != 1
    cluster.sync();
#endif
    int* theirs = cluster.map_shared_rank(box, cluster.block_rank() ^ 1);
#if DEFECT == 3
    theirs[t + 1] = t; // <- push
#elif DEFECT == 4
    theirs[t / 2] = t; // <- push
#else
    theirs[63 - t] = t; // <- push
#endif
#if DEFECT == 2
    __syncthreads();
#else
    cluster.sync();
#endif
#if DEFECT == 3 || DEFECT == 4
    out[blockIdx.x * 64 + t] = box[t / 2]; // <- take
#else
    out[blockIdx.x * 64 + t] = box[t]; // <- take
#endif
}
