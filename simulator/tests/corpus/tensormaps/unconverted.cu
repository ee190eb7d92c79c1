// The reader forgets the swap: it finds defined numbers, but others. Nothing is racy, so nothing is said; the result differs.
//@ run --entry rows --grid 1 --block 32 --arg tensormap:8x32,swizzle=128:in:i32:8x32=iota --arg out:i32:8x32
//! clean
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void rows(const __grid_constant__ CUtensorMap map, int* out)
{
    __shared__ alignas(1024) int tile[8][32];
    __shared__ alignas(8) uint64_t bar;
    const int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (t == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
        const int32_t at[] = {0, 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &bar);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0));
    for (int row = 0; row < 8; ++row) out[32 * row + t] = tile[row][t];
}
