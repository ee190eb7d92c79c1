//@ run --entry push --grid 2 --block 32 --cluster 2 --arg in:i32:64=iota --arg out:i32:128
// A bulk copy from global memory into the other block of the cluster, which does not wait at its barrier for the bytes.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void push(const int* in, int* out)
{
    __shared__ alignas(128) int tile[64];
    __shared__ alignas(8) unsigned long long bar;
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x;
    const unsigned here = __cvta_generic_to_shared(&bar), there = __cvta_generic_to_shared(tile);
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(here) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" :: "r"(here) : "memory");
    }
    cluster.sync();
    if (t == 0 && cluster.block_rank() == 0) {
        unsigned to, told;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(to) : "r"(there));
        asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(told) : "r"(here));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];"
                     :: "r"(to), "l"(in), "r"(told) : "memory");
    }
    cluster.sync();
    if (cluster.block_rank() == 1) out[64 * blockIdx.x + t] = tile[t];
}
