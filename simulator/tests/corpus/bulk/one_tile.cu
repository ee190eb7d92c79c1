// One thread has a tile copied in bulk; the barrier counts its bytes, and all wait for its phase before they read.
//@ run --entry doubled --grid 2 --block 64 --arg in:f32:512=iota --arg out:f32:512
//! clean
//! defect 1: race at use and copy
//! defect 2: race at use and copy
//! defect 3: deadlock at wait
//! defect 4: out_of_bounds at copy
//! defect 5: misaligned at copy
//! defect 6: race|uninitialized_read at make and copy|expect|wait
//! defect 7: deadlock at wait
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void doubled(const float* in, float* out)
{
    __shared__ alignas(128) float tile[256];
    __shared__ alignas(8) uint64_t bar;
    const int t = threadIdx.x;
    const float* from = in + 256 * blockIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1); // <- make
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
#if DEFECT != 6
    __syncthreads();
#endif
#if DEFECT == 6
    if (t == 32) {
#else
    if (t == 0) {
#endif
#if DEFECT == 2
        // Of two halves only the first is waited for.
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 512);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, from, 512, &bar);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile + 128, from + 128, 512, &bar); // <- copy
#elif DEFECT == 3
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 2048);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, from, 1024, &bar); // <- copy
#elif DEFECT == 4
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 1024);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, from + 4, 1024, &bar); // <- copy
#elif DEFECT == 5
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 1008);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, from + 1, 1008, &bar); // <- copy
#elif DEFECT == 7
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 512);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, from, 1024, &bar); // <- copy
#else
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 1024); // <- expect
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, from, 1024, &bar); // <- copy
#endif
    }
#if DEFECT != 1
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)); // <- wait
#endif
    for (int i = t; i < 256; i += 64) out[256 * blockIdx.x + i] = 2 * tile[i]; // <- use
}
