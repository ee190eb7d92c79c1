// Each block of a ring writes a tile and hands it on in bulk to the next block, which waits for its bytes.
//@ run --entry rotate --grid 4 --block 64 --cluster 4 --arg in:i32:4x64=iota --arg out:i32:4x64
//! clean
//! defect 1: race at copy and write
//! defect 2: race at use and copy
//! defect 3: race|uninitialized_read at copy; also=deadlock
//! defect 4: deadlock at full
//! defect 5: out_of_bounds at copy
//! defect 6: race at copy and write
#include <cuda/ptx>
#include <cooperative_groups.h>
namespace ptx = cuda::ptx;
namespace cg = cooperative_groups;
extern "C" __global__ void rotate(const int* in, int* out)
{
    __shared__ alignas(128) int mine[64], theirs[64];
    __shared__ alignas(8) uint64_t full;
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
#if DEFECT != 3
    cluster.sync();
#endif
    mine[t] = in[64 * blockIdx.x + t]; // <- write
#if DEFECT != 1
    ptx::fence_proxy_async(ptx::space_shared);
#endif
#if DEFECT != 6
    __syncthreads();
#endif
    const int next = (cluster.block_rank() + 1) % 4;
    if (t == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof theirs);
#if DEFECT == 4
        const unsigned bytes = 128;
#else
        const unsigned bytes = sizeof mine;
#endif
#if DEFECT == 5
        uint64_t* there = &full;
#else
        uint64_t* there = cluster.map_shared_rank(&full, next);
#endif
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(theirs, next), mine, bytes, there); // <- copy
    }
#if DEFECT != 2
    while (!ptx::mbarrier_try_wait_parity(&full, 0)); // <- full
#endif
    out[64 * blockIdx.x + t] = theirs[t]; // <- use
    cluster.sync();
}
