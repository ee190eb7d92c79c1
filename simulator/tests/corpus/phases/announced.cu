// A thread announces bytes for a stage's next phase: after it has waited until the stage is empty, or before.
//@ run --entry sums --grid 1 --block 64 --arg in:i32:256=iota --arg out:i32:32
//! clean
//! defect 1: barrier_divergence at announce
//! defect 2: barrier_divergence at announce
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr int STAGES = 2, TILE = 32;
extern "C" __global__ void sums(const int* in, int* out)
{
    __shared__ alignas(128) int tiles[STAGES][TILE];
    __shared__ alignas(8) uint64_t full[STAGES], empty[STAGES];
    const int t = threadIdx.x;
    if (t == 0) {
        for (int s = 0; s < STAGES; ++s) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], 32);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (t >= 32) {
        if (t == 32) {
            for (int i = 0; i < 8; ++i) {
                const int s = i % STAGES, round = i / STAGES;
#if DEFECT == 1
                // The bytes of the last copy into this stage may not have come.
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof tiles[s]); // <- announce
#endif
#if DEFECT == 2
                // That the stage before is empty says nothing of this one.
                const int w = (i + STAGES - 1) % STAGES, turn = (i + STAGES - 1) / STAGES;
                while (i > 0 && !ptx::mbarrier_try_wait_parity(&empty[w], turn % 2));
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof tiles[s]); // <- announce
#endif
                while (!ptx::mbarrier_try_wait_parity(&empty[s], (round + 1) % 2));
#if DEFECT == 0
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof tiles[s]); // <- announce
#endif
                ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tiles[s], in + i * TILE, sizeof tiles[s], &full[s]);
            }
        }
        return;
    }
    int sum = 0;
    for (int i = 0; i < 8; ++i) {
        const int s = i % STAGES, round = i / STAGES;
        while (!ptx::mbarrier_try_wait_parity(&full[s], round % 2));
        sum += tiles[s][t];
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive(&empty[s]);
    }
    out[t] = sum;
}
