// A producer warp has tiles copied in bulk; a warpgroup multiplies them and gives each stage back when its product is over.
//@ run --entry product --grid 1 --block 160 --arg in:f16:4096=ones --arg in:f16:512=ones --arg out:f32:64x8
//! clean
//! defect 1: race at copy_a|copy_b and multiply|copy_a|copy_b; also=deadlock
//! defect 2: race|uninitialized_read at multiply|store and copy_a|copy_b|multiply; also=deadlock
//! defect 3: race at copy_a|copy_b and multiply
//! defect 4: race|deadlock at multiply|full|empty|copy_b; also=deadlock; also=race
#include <cuda_fp16.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ unsigned long long described(const void* p)
{
    return (__cvta_generic_to_shared(p) >> 4 & 0x3FFF) | 8ull << 16 | 16ull << 32;
}
// Slices of A and B lie in memory as the tiles do: blocks of 8 × 8.
extern "C" __global__ void product(const __half* A, const __half* B, float* C)
{
    __shared__ alignas(128) __half a[2][1024], b[2][128];
    __shared__ alignas(8) uint64_t full[2], empty[2];
    const int t = threadIdx.x;
    if (t == 0) {
        for (int s = 0; s < 2; ++s) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], 128);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (t >= 128) {
        if (t == 128) {
            for (int slice = 0; slice < 4; ++slice) {
                const int s = slice % 2;
#if DEFECT != 1
                while (!ptx::mbarrier_try_wait_parity(&empty[s], (slice / 2 + 1) % 2)); // <- empty
#endif
#if DEFECT == 4
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof a[s]);
#else
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof a[s] + sizeof b[s]);
#endif
                ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, a[s], A + 1024 * slice, sizeof a[s], &full[s]); // <- copy_a
                ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, b[s], B + 128 * slice, sizeof b[s], &full[s]); // <- copy_b
            }
        }
        return;
    }
    float c[4] = {};
    for (int slice = 0; slice < 4; ++slice) {
        const int s = slice % 2;
#if DEFECT != 2
        while (!ptx::mbarrier_try_wait_parity(&full[s], slice / 2)); // <- full
#endif
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "l"(described(a[s])), "l"(described(b[s]))); // <- multiply
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#if DEFECT != 3
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
        ptx::mbarrier_arrive(&empty[s]);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 4; ++i) C[(t / 32 * 16 + t % 32 / 4 + i / 2 * 8) * 8 + t % 4 * 2 + i % 2] = c[i]; // <- store
}
//! label 1: it was copies and products; a second copy into a stage races with the first as well, and phases that nobody waits for leave others waiting
//! label 2: it was a race; products that come before the copies read what nobody wrote
//! label 4: it was a deadlock; the first copy's bytes end the phase, and the second copy races with whoever has waited for it
