// A warp has tiles copied in bulk into a ring of two stages; two other warps add them up and give each stage back.
//@ run --entry sums --grid 1 --block 96 --arg in:i32:512=iota --arg out:i32:64
//! clean
//! defect 1: race at copy and use|copy; also=deadlock
//! defect 2: race|deadlock at use|full|empty
//! defect 3: deadlock at full|empty
//! defect 4: race at use and copy
//! defect 5: race|deadlock at copy|full|empty
//! defect 6: race at copy and use
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr int STAGES = 2, TILE = 64;
extern "C" __global__ void sums(const int* in, int* out)
{
    __shared__ alignas(128) int tiles[STAGES][TILE];
    __shared__ alignas(8) uint64_t full[STAGES], empty[STAGES];
    const int t = threadIdx.x;
    if (t == 0) {
        for (int s = 0; s < STAGES; ++s) {
            ptx::mbarrier_init(&full[s], 1);
#if DEFECT == 5
            ptx::mbarrier_init(&empty[s], 32);
#else
            ptx::mbarrier_init(&empty[s], 64);
#endif
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (t >= 64) {
        if (t == 64) {
            for (int i = 0; i < 8; ++i) {
                const int s = i % STAGES, round = i / STAGES;
#if DEFECT != 1
                while (!ptx::mbarrier_try_wait_parity(&empty[s], (round + 1) % 2)); // <- empty
#endif
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof tiles[s]);
                ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tiles[s], in + i * TILE, sizeof tiles[s], &full[s]); // <- copy
            }
        }
        return;
    }
    int sum = 0;
    for (int i = 0; i < 8; ++i) {
        const int s = i % STAGES, round = i / STAGES;
#if DEFECT == 2
        while (!ptx::mbarrier_try_wait_parity(&full[s], (round + 1) % 2)); // <- full
#elif DEFECT == 4
        while (!ptx::mbarrier_try_wait_parity(&full[0], round % 2)); // <- full
#else
        while (!ptx::mbarrier_try_wait_parity(&full[s], round % 2)); // <- full
#endif
        sum += tiles[s][t]; // <- use
#if DEFECT != 6
        ptx::fence_proxy_async(ptx::space_shared);
#endif
#if DEFECT == 3
        if (t < 32)
#endif
        ptx::mbarrier_arrive(&empty[s]);
    }
    out[t] = sum;
}
//! label 1: it was the race of copy and use alone; the second copy into a stage races with the first as well, and phases that nobody waits for leave others waiting
//! label 2: it was a race; where the copies are done first, the wrong parity waits for a phase that never ends
//! label 5: it was a race; a phase of too few arrivals also ends twice in a round, and then the parity is wrong
//! label 0: had no fence before the arrival; the copy goes through another proxy than the reads, and an H100 lets it overtake them
