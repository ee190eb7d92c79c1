// A tile whose chunks are swapped is read by columns, each from where the swap has put it.
//@ run --entry turned --grid 2 --block 32 --arg tensormap:32x32,swizzle=128:in:i32:32x64=iota --arg out:i32:64x32
//! clean
//! defect 1: race at use and copy
//! defect 2: deadlock at wait
//! defect 3: misaligned at copy
//! defect 4: race at again and use
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void turned(const __grid_constant__ CUtensorMap map, int* out)
{
    __shared__ alignas(1024) int tile[33 * 32];
    __shared__ alignas(8) uint64_t bar;
    const int t = threadIdx.x;
    const int32_t at[] = {int(32 * blockIdx.x), 0};
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (t == 0) {
#if DEFECT == 2
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 4224);
#else
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 4096);
#endif
#if DEFECT == 3
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile + 8, &map, at, &bar); // <- copy
#else
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &bar); // <- copy
#endif
    }
#if DEFECT == 1
    if (t < 16)
#endif
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)); // <- wait
    for (int row = 0; row < 32; ++row) {
        const int chunk = (t / 4) ^ (row % 8);
        out[32 * (at[0] + t) + row] = tile[32 * row + 4 * chunk + t % 4]; // <- use
    }
#if DEFECT == 4
    // Nothing says that the other lanes have read.
    if (t == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 4096);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &bar); // <- again
        while (!ptx::mbarrier_try_wait_parity(&bar, 1));
    }
#endif
}
