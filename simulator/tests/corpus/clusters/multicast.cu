// Two blocks share their input: each has half of every tile copied into both memories, in a ring of two stages; both add up what they got.
//@ run --entry sums --grid 2 --block 96 --cluster 2 --arg in:i32:512=iota --arg out:i32:128
//! clean
//! defect 1: race at copy and use|copy; also=deadlock,barrier_divergence
//! defect 2: race at copy and use
//! defect 3: race at use and copy; also=deadlock,barrier_divergence,race
//! defect 4: race|deadlock at use|full|empty
//! defect 5: race at copy; also=deadlock,uninitialized_read
//! defect 6: race at copy; also=deadlock
//! defect 7: out_of_bounds at copy
#include <cuda/ptx>
#include <cooperative_groups.h>
namespace ptx = cuda::ptx;
namespace cg = cooperative_groups;
constexpr int STAGES = 2, TILE = 64, HALF = TILE / 2;
__device__ void arrive_at(uint64_t* barrier, int rank)
{
    asm volatile(
        "{\n.reg .b32 there;\n"
        "mapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(rank) : "memory");
}
__device__ __forceinline__ void copy_to(uint16_t ranks, void* to, const void* from, unsigned bytes, uint64_t* barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)), "h"(ranks) : "memory"); // <- copy
}
__device__ bool is_over(uint64_t* barrier, int parity)
{
    return ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, parity);
}
extern "C" __global__ void sums(const int* in, int* out)
{
    __shared__ alignas(128) int tiles[STAGES][TILE];
    __shared__ alignas(8) uint64_t full[STAGES], empty[STAGES];
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x, rank = cluster.block_rank();
    if (t == 0) {
        for (int s = 0; s < STAGES; ++s) {
            ptx::mbarrier_init(&full[s], 1);
#if DEFECT == 2
            ptx::mbarrier_init(&empty[s], 64);
#else
            ptx::mbarrier_init(&empty[s], 2 * 64);
#endif
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
#if DEFECT == 5
    __syncthreads();
#else
    cluster.sync();
#endif
    if (t == 64) {
        for (int i = 0; i < 8; ++i) {
            const int s = i % STAGES, round = i / STAGES;
#if DEFECT != 1
            while (!is_over(&empty[s], (round + 1) % 2)); // <- empty
#endif
            // Both halves come, one of them from the other block.
#if DEFECT == 4
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof tiles[s] / 2);
#else
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof tiles[s]);
#endif
#if DEFECT == 7
            const uint16_t both = 5;
#else
            const uint16_t both = 3;
#endif
            copy_to(both, tiles[s] + rank * HALF, in + i * TILE + rank * HALF, sizeof tiles[s] / 2, &full[s]);
        }
    } else if (t < 64) {
        int sum = 0;
        for (int i = 0; i < 8; ++i) {
            const int s = i % STAGES, round = i / STAGES;
#if DEFECT == 3
            while (!is_over(&full[0], round % 2)); // <- full
#elif DEFECT == 6
            if (i < 7 || rank == 0)
                while (!is_over(&full[s], round % 2)); // <- full
            else break;
#else
            while (!is_over(&full[s], round % 2)); // <- full
#endif
            sum += tiles[s][t]; // <- use
            ptx::fence_proxy_async(ptx::space_shared);
#if DEFECT == 2
            arrive_at(&empty[s], rank);
#else
            arrive_at(&empty[s], 0);
            arrive_at(&empty[s], 1);
#endif
        }
        out[64 * blockIdx.x + t] = sum;
    }
#if DEFECT != 6
    cluster.sync();
#endif
}
//! label 1: it was races and a deadlock; a barrier whose phases nobody waits for also gets more arrivals than it was made for
//! label 3: it was one race; consumers that are wrong about full also empty stages too often
