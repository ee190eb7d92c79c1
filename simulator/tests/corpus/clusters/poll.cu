// Blocks wait for a flag that lies in another block's shared memory.
//@ run --entry poll --grid 4 --block 32 --cluster 4 --arg out:i32:4
//! clean
//! defect 1: deadlock at poll
//! defect 2: race at poll
//! defect 3: race at data and use
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ unsigned address(const void* generic) { return __cvta_generic_to_shared(generic); }
extern "C" __global__ void poll(int* out)
{
    __shared__ int data;
    __shared__ unsigned ready;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) ready = 0;
    cluster.sync();
    if (threadIdx.x == 0 && cluster.block_rank() == 0) {
        data = 7; // <- data
#if DEFECT == 3
        asm volatile("st.relaxed.cluster.shared::cta.u32 [%0], 1;" :: "r"(address(&ready)) : "memory");
#elif DEFECT != 1
        asm volatile("st.release.cluster.shared::cta.u32 [%0], 1;" :: "r"(address(&ready)) : "memory");
#endif
    }
    if (threadIdx.x == 0) {
        unsigned there, seen = 0;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(there) : "r"(address(&ready)));
        while (!seen) asm volatile("ld.acquire.cluster.shared::cluster.u32 %0, [%1];" : "=r"(seen) : "r"(there) : "memory"); // <- poll
#if DEFECT != 2
        out[cluster.block_rank()] = *cluster.map_shared_rank(&data, 0); // <- use
#endif
    }
#if DEFECT != 2
    cluster.sync();
#endif
}
