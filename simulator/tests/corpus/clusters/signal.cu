// Threads of one block store into another and arrive at its barrier in shared memory.
//@ run --entry signal --grid 2 --block 32 --cluster 2 --arg out:i32:32
//! clean
//! defect 1: race at push and take
//! defect 2: deadlock at wait
//! defect 3: race at push and take
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ unsigned address(const void* generic) { return __cvta_generic_to_shared(generic); }
extern "C" __global__ void signal(int* out)
{
    __shared__ int box[32];
    __shared__ unsigned long long bar;
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x;
#if DEFECT == 2
    const unsigned arrivals = 33;
#else
    const unsigned arrivals = 32;
#endif
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(address(&bar)), "r"(arrivals) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster.sync();
    if (cluster.block_rank() == 0) {
        unsigned remote;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(remote) : "r"(address(&bar)));
#if DEFECT != 3
        cluster.map_shared_rank(box, 1)[t] = 5 * t; // <- push
#endif
#if DEFECT == 1
        asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" :: "r"(remote) : "memory");
#else
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(remote) : "memory");
#endif
#if DEFECT == 3
        cluster.map_shared_rank(box, 1)[t] = 5 * t; // <- push
#endif
    } else {
        unsigned over = 0;
        while (!over) {
            asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(over) : "r"(address(&bar)) : "memory"); // <- wait
        }
        out[t] = box[t]; // <- take
    }
    cluster.sync();
}
