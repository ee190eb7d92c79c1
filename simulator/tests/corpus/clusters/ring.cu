// Values go round a ring of four blocks, one place in each round, with two buffers.
//@ run --entry ring --grid 8 --block 32 --cluster 4 --arg out:i32:256 --arg i32:5
//! clean
//! defect 1: race at push and pull
//! defect 2: race at push and pull|push
//! defect 3: race at push
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void ring(int* out, int rounds)
{
    __shared__ int box[2][32];
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x;
    int* next = cluster.map_shared_rank(&box[0][0], (cluster.block_rank() + 1) % cluster.num_blocks());
    int value = blockIdx.x * 1000 + t;
#if DEFECT != 3
    cluster.sync();
#endif
    for (int k = 0; k < rounds; ++k) {
#if DEFECT == 2
        const int which = 0;
#else
        const int which = k % 2;
#endif
        next[32 * which + t] = value; // <- push
#if DEFECT == 1
        if (k != 1) cluster.sync();
        else __syncthreads();
#else
        cluster.sync();
#endif
        value = box[which][t] + 1; // <- pull
    }
    out[blockIdx.x * 32 + t] = value;
    cluster.sync();
}
