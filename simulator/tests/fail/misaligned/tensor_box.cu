//@ run --entry border --grid 1 --block 32 --arg tensormap:4x8:in:i32:8x32=iota --arg out:i32:32
// A tile with a border of one to its left: the box would begin between two multiples of 16 bytes.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void border(const __grid_constant__ CUtensorMap map, int* out)
{
    __shared__ alignas(128) int tile[32];
    __shared__ alignas(8) uint64_t arrived;
    const int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&arrived, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived, sizeof tile);
        const int32_t at[] = {-1, 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &arrived);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&arrived, 0));
    out[t] = tile[t];
}
