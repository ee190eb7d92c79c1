//@ run --entry hand_over --grid 2 --block 32 --cluster 2 --arg out:i32:32
// One block writes and arrives at another's barrier; that one waits, relaxed, and has a fence for the cluster behind the wait.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void hand_over(int* out)
{
    __shared__ int tile[32];
    __shared__ alignas(8) unsigned long long barrier;
    auto cluster = cg::this_cluster();
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(at) : "memory");
    cluster.sync();
    if (cluster.block_rank() == 0) {
        tile[threadIdx.x] = threadIdx.x;
        unsigned theirs;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(theirs) : "r"(at));
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(theirs) : "memory");
    } else {
        for (unsigned over = 0; !over;) {
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                         : "=r"(over) : "r"(at) : "memory");
        }
        asm volatile("fence.acq_rel.cluster;" ::: "memory");
        out[threadIdx.x] = cluster.map_shared_rank(tile, 0)[31 - threadIdx.x];
    }
    cluster.sync();
}
