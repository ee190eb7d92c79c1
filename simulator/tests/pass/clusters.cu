//@ run --entry clusters --grid 4,6,2 --block 32 --arg out:i32:480
// What a block knows of its cluster, and whose memory an address lies in.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(2, 3, 1) clusters(int* out)
{
    __shared__ int mine;
    auto cluster = cg::this_cluster();
    auto grid = cg::this_grid();
    if (threadIdx.x != 0) {
        cluster.sync();
        return;
    }
    mine = blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z;
    const unsigned rank = cluster.block_rank();
    const dim3 at = cluster.block_index(), size = cluster.dim_blocks();
    const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int* theirs = cluster.map_shared_rank(&mine, 5 - rank);
    int specified, within;
    asm("{\n.reg .pred p;\nmov.pred p, %%is_explicit_cluster;\nselp.s32 %0, 1, 0, p;\n}" : "=r"(specified));
    asm("{\n.reg .pred p, q;\nisspacep.shared::cta p, %1;\nisspacep.shared::cluster q, %1;\nselp.s32 %0, 2, 0, p;\n@q add.s32 %0, %0, 1;\n}"
        : "=&r"(within) : "l"(theirs));
    out[10 * block + 0] = rank;
    out[10 * block + 1] = at.x + 10 * at.y + 100 * at.z;
    out[10 * block + 2] = size.x + 10 * size.y + 100 * size.z;
    out[10 * block + 3] = grid.cluster_rank();
    out[10 * block + 4] = grid.num_clusters();
    out[10 * block + 5] = specified;
    out[10 * block + 6] = within;
    out[10 * block + 7] = cluster.query_shared_rank(theirs) + 10 * cluster.query_shared_rank(&mine);
    out[10 * block + 8] = cluster.num_threads() + 1000 * cluster.thread_rank();
    out[10 * block + 9] = cluster.map_shared_rank(theirs, rank) == &mine;
    cluster.sync();
}
