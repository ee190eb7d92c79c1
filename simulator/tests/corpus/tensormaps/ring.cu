// A producer has rows of tiles copied into a ring of two stages; two warps add up what is in them and give each stage back.
//@ run --entry sums --grid 2 --block 96 --arg tensormap:8x32:in:i32:64x64=iota --arg out:i32:64
//! clean
//! defect 1: race at copy and use|copy; also=deadlock
//! defect 2: race|deadlock at use|full|empty
//! defect 3: deadlock at full|empty
//! defect 4: race at use and copy
//! defect 5: race at use|copy; also=deadlock
//! defect 6: race at copy and use
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr int STAGES = 2, TILES = 8;
extern "C" __global__ void sums(const __grid_constant__ CUtensorMap map, int* out)
{
    __shared__ alignas(128) int tiles[STAGES][8][32];
    __shared__ alignas(8) uint64_t full[STAGES], empty[STAGES];
    const int t = threadIdx.x;
    if (t == 0) {
        for (int s = 0; s < STAGES; ++s) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], 64);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (t >= 64) {
        if (t == 64) {
            for (int i = 0; i < TILES; ++i) {
                const int s = i % STAGES, round = i / STAGES;
#if DEFECT != 1
                while (!ptx::mbarrier_try_wait_parity(&empty[s], (round + 1) % 2)); // <- empty
#endif
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof tiles[s]);
                const int32_t at[] = {int(32 * blockIdx.x), 8 * i};
#if DEFECT == 5
                // All tiles go into the first stage, whatever barrier counts them.
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tiles[0], &map, at, &full[s]); // <- copy
#else
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tiles[s], &map, at, &full[s]); // <- copy
#endif
            }
        }
        return;
    }
    int sum = 0;
    for (int i = 0; i < TILES; ++i) {
        const int s = i % STAGES, round = i / STAGES;
#if DEFECT == 2
        while (!ptx::mbarrier_try_wait_parity(&full[s], (round + 1) % 2)); // <- full
#elif DEFECT == 4
        while (!ptx::mbarrier_try_wait_parity(&full[0], round % 2)); // <- full
#else
        while (!ptx::mbarrier_try_wait_parity(&full[s], round % 2)); // <- full
#endif
#if DEFECT == 5
        for (int row = t / 32; row < 8; row += 2) sum += tiles[0][row][t % 32]; // <- use
#else
        for (int row = t / 32; row < 8; row += 2) sum += tiles[s][row][t % 32]; // <- use
#endif
#if DEFECT != 6
        ptx::fence_proxy_async(ptx::space_shared);
#endif
#if DEFECT == 3
        if (t < 32)
#endif
        ptx::mbarrier_arrive(&empty[s]);
    }
    if (t < 32 && blockIdx.x < 1) out[t] = sum;
    if (t < 32 && blockIdx.x > 0) out[32 + t] = sum;
}
//! label 0: had no fence before the arrival; the copy goes through another proxy than the reads, and an H100 lets it overtake them
