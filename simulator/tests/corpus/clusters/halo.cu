// Steps of a stencil in shared memory, whose edges lie in the neighbour blocks.
//@ run --entry halo --grid 4 --block 32 --cluster 4 --arg in:i32:128=iota --arg out:i32:128 --arg i32:4
//! clean
//! defect 1: out_of_bounds at left
//! defect 2: race at store and left|right
//! defect 3: race at left|right and store
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void halo(const int* in, int* out, int steps)
{
    __shared__ int cell[2][32];
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x, blocks = cluster.num_blocks(), rank = cluster.block_rank();
    const int* before = cluster.map_shared_rank(&cell[0][0], (rank + blocks - 1) % blocks);
    const int* behind = cluster.map_shared_rank(&cell[0][0], (rank + 1) % blocks);
    cell[0][t] = in[blockIdx.x * 32 + t];
    cluster.sync();
    for (int k = 0; k < steps; ++k) {
        const int now = k % 2;
#if DEFECT == 1
        const int edge = 64;
#else
        const int edge = 32 * now + 31;
#endif
        const int left = t > 0 ? cell[now][t - 1] : before[edge]; // <- left
        const int right = t < 31 ? cell[now][t + 1] : behind[32 * now]; // <- right
#if DEFECT == 2
        cell[now][t] = left + right; // <- store
        cell[1 - now][t] = 0;
#else
        cell[1 - now][t] = left + right; // <- store
#endif
#if DEFECT == 3
        __syncthreads();
#else
        cluster.sync();
#endif
    }
    out[blockIdx.x * 32 + t] = cell[steps % 2][t];
#if DEFECT == 3
    cluster.sync();
#endif
}
