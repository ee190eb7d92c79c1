// Tiles of a warp are fetched by cooperative_groups' memcpy_async, and the group waits for them together; each warp has its own stretch of dynamic shared memory.
//@ run --entry tiles --grid 2 --block 64 --shared 1024 --arg in:i32:512=iota --arg out:i32:512
//! clean
//! defect 1: race at fetch and use
//! defect 2: race at use
//! defect 3: out_of_bounds at fetch
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
extern __shared__ int dynamic[];
extern "C" __global__ void tiles(const int* in, int* out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
#if DEFECT == 3
    int* mine = dynamic + 160 * warp.meta_group_rank();
#else
    int* mine = dynamic + 128 * warp.meta_group_rank();
#endif
    int base = (blockIdx.x * 2 + warp.meta_group_rank()) * 128, lane = warp.thread_rank();
    cg::memcpy_async(warp, mine, in + base, 128 * sizeof(int)); // <- fetch
#if DEFECT == 1
    warp.sync();
#else
    cg::wait(warp);
#endif
    int sum = 0;
    for (int k = 0; k < 4; ++k) {
        sum += mine[(lane + 32 * k + 1) % 128]; // <- use
        out[base + lane + 32 * k] = sum;
    }
#if DEFECT == 2
    cg::memcpy_async(warp, mine, in + base, 64 * sizeof(int)); // <- fetch
    cg::wait(warp);
    out[base + lane] = mine[lane];
#endif
}
