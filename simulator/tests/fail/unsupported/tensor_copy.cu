//@ run --entry tensor --grid 1 --block 32 --arg in:u64:16=iota --arg out:i32:64
// A tensor map describes where an array's tiles lie, and the hardware walks it.
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor(const void* map, int* out)
{
    __shared__ alignas(128) int tile[64];
    __shared__ alignas(8) uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
        const int place[2] = {0, 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, place, &bar);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&bar, 0));
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
