// Cooperative groups: the block, tiles of 16, reductions and scans over a tile, coalesced threads of a branch.
//@ run --entry groups --grid 2 --block 64 --arg in:i32:128=small_ints.npy --arg out:i32:4x128
// save: 1
// reference: cooperative_groups

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void groups(const int* in, int* out)
{
    __shared__ int tile_sum[4];
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int i = blockIdx.x * blockDim.x + block.thread_rank(), n = gridDim.x * blockDim.x;
    int v = in[i];
    int sum = cg::reduce(tile, v, cg::plus<int>());
    int top = cg::reduce(tile, v, cg::greater<int>());
    if (tile.thread_rank() == 0) tile_sum[tile.meta_group_rank()] = sum;
    block.sync();
    out[0 * n + i] = tile_sum[0] + tile_sum[1] + tile_sum[2] + tile_sum[3];
    out[1 * n + i] = top;
    out[2 * n + i] = tile.shfl_up(v, 2);
    int rank = -1;
    if (v % 2 == 0) {
        auto even = cg::coalesced_threads();
        rank = even.size() >= 1 && even.thread_rank() < even.size();
    }
    out[3 * n + i] = rank;
}
