// A normalisation in one cooperative launch: sums of blocks, a sync of the grid, everybody divides by the total.
//@ run --entry normalise --grid 6 --block 64 --cooperative --arg inout:f32:384=ones --arg inout:f32:6=zeros --budget 4000000
//! clean
//! defect 1: race at part and all
//! defect 2: deadlock at meet; also=race
//! defect 3: race at all and again
//! defect 4: race at scale and load
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void normalise(float* x, float* parts)
{
    auto grid = cg::this_grid();
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    __shared__ float s[2];
    int i = grid.thread_rank();
    float v = x[i]; // <- load
    float sum = cg::reduce(warp, v * v, cg::plus<float>());
    if (warp.thread_rank() == 0) s[warp.meta_group_rank()] = sum;
    block.sync();
    if (block.thread_rank() == 0) parts[block.group_index().x] = s[0] + s[1]; // <- part
#if DEFECT == 1
    block.sync();
#elif DEFECT == 2
    if (block.group_index().x != 3) grid.sync(); // <- meet
#else
    grid.sync(); // <- meet
#endif
    float total = 0;
    for (int b = 0; b < gridDim.x; ++b) total += parts[b]; // <- all
#if DEFECT == 3
    if (i < 6) parts[i] = 0; // <- again
#else
    grid.sync(); // <- meet
    if (i < 6) parts[i] = 0; // <- again
#endif
#if DEFECT == 4
    x[(i + 64) % 384] = v * rsqrtf(total); // <- scale
    v = x[i]; // <- load
    x[i] = v + 1; // <- scale
#else
    x[i] = v * rsqrtf(total); // <- scale
#endif
}
