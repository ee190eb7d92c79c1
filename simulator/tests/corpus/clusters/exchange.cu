// Blocks of two clusters of 2 x 2 exchange rows and columns of a tile, in two dimensions.
//@ run --entry exchange --grid 4,2 --block 16 --arg in:i32:128=iota --arg out:i32:128
//! clean
//! defect 1: race at put and get
//! defect 2: race at get
//! defect 3: out_of_bounds at get
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(2, 2, 1) exchange(const int* in, int* out)
{
    __shared__ int row[16], column[16];
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x, block = blockIdx.x + 4 * blockIdx.y;
    const dim3 at = cluster.block_index();
    row[t] = in[16 * block + t]; // <- put
    column[t] = in[16 * block + 15 - t];
#if DEFECT == 1
    __syncthreads();
#else
    cluster.sync();
#endif
#if DEFECT == 3
    const unsigned beside = at.x + 1 + 2 * (at.y + 1), below = at.x + 2 * (1 - at.y);
#else
    const unsigned beside = 1 - at.x + 2 * at.y, below = at.x + 2 * (1 - at.y);
#endif
    out[16 * block + t] = cluster.map_shared_rank(row, beside)[t] + cluster.map_shared_rank(column, below)[t]; // <- get
#if DEFECT != 2
    cluster.sync();
#endif
}
