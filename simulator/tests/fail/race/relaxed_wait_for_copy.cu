//@ run --entry sums --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
// A bulk copy arrives, and those who read what it brought have waited for its phase, but relaxed.
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void sums(const int* in, int* out)
{
    __shared__ alignas(128) int tile[32];
    __shared__ alignas(8) uint64_t full;
    const uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(&full));
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof tile, &full);
    }
    uint32_t over = 0;
    while (!over) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(over) : "r"(at) : "memory");
    }
    out[threadIdx.x] = tile[threadIdx.x];
}
