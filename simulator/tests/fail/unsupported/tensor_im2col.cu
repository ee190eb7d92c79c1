//@ run --entry rows --grid 1 --block 32 --arg tensormap:2x2x2x4:in:i32:2x2x2x4=iota --arg out:i32:32
// A copy of columns for a convolution, by a map of another kind.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void rows(const __grid_constant__ CUtensorMap map, int* out)
{
    __shared__ alignas(128) int tile[32];
    __shared__ alignas(8) uint64_t arrived;
    const int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&arrived, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived, sizeof tile);
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2, %2, %2}], [%3], {%4, %4};"
            :: "r"((uint32_t)__cvta_generic_to_shared(tile)), "l"(&map), "r"(0), "r"((uint32_t)__cvta_generic_to_shared(&arrived)), "h"((short)0)
            : "memory");
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&arrived, 0));
    out[t] = tile[t];
}
