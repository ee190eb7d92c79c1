// One block hands data to another by a flag in its shared memory.
//@ run --entry flag --grid 2 --block 32 --cluster 2 --arg out:i32:32
//! clean
//! defect 1: race at data and use
//! defect 2: race at set and poll; also=race
//! defect 3: race at data and use
//! defect 4: race at data
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ unsigned address(const void* generic) { return __cvta_generic_to_shared(generic); }
extern "C" __global__ void flag(int* out)
{
    __shared__ int data;
    __shared__ unsigned ready;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) ready = 0;
    cluster.sync();
    if (threadIdx.x == 0 && cluster.block_rank() == 0) {
        *cluster.map_shared_rank(&data, 1) = 42; // <- data
        unsigned remote;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(remote) : "r"(address(&ready)));
#if DEFECT == 1
        asm volatile("st.relaxed.cluster.shared::cluster.u32 [%0], 1;" :: "r"(remote) : "memory"); // <- set
#elif DEFECT == 2
        asm volatile("st.release.cta.shared::cluster.u32 [%0], 1;" :: "r"(remote) : "memory"); // <- set
#else
        asm volatile("st.release.cluster.shared::cluster.u32 [%0], 1;" :: "r"(remote) : "memory"); // <- set
#endif
#if DEFECT == 4
        *cluster.map_shared_rank(&data, 1) = 43; // <- data
#endif
    }
    if (threadIdx.x == 0 && cluster.block_rank() == 1) {
        unsigned seen = 0;
        while (!seen) {
#if DEFECT == 3
            asm volatile("ld.relaxed.cluster.shared::cta.u32 %0, [%1];" : "=r"(seen) : "r"(address(&ready)) : "memory"); // <- poll
#else
            asm volatile("ld.acquire.cluster.shared::cta.u32 %0, [%1];" : "=r"(seen) : "r"(address(&ready)) : "memory"); // <- poll
#endif
        }
        out[0] = data; // <- use
    }
}
