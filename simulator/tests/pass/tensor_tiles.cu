//@ run --entry turned --grid 2,4 --block 32
//@ run --arg tensormap:8x16:in:i32:30x32=iota --arg out:i32:32x32
// Tiles of a matrix come in by their coordinates, those of the last row of tiles sticking out, and are written out turned.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void turned(const __grid_constant__ CUtensorMap map, int* out)
{
    __shared__ alignas(128) int tile[8][16];
    __shared__ alignas(8) uint64_t arrived;
    const int t = threadIdx.x, x = 16 * blockIdx.x, y = 8 * blockIdx.y;
    if (t == 0) {
        ptx::mbarrier_init(&arrived, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived, sizeof tile);
        const int32_t at[] = {x, y};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &arrived);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&arrived, 0));
    for (int i = t; i < 8 * 16; i += 32) out[32 * (x + i / 8) + y + i % 8] = tile[i % 8][i / 8];
}
