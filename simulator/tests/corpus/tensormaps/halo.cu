// Tiles with a border of one: at the edge of the picture they stick out on all sides, and zeros stand for what is not there.
//@ run --entry blurred --grid 2,2 --block 16,8 --arg tensormap:10x24:in:i32:16x32=iota --arg out:i32:16x32
//! clean
//! defect 1: deadlock at wait
//! defect 2: race at use and copy
//! defect 3: out_of_bounds at use
//! defect 4: misaligned at copy
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void blurred(const __grid_constant__ CUtensorMap map, int* out)
{
    __shared__ alignas(128) int tile[10][24];
    __shared__ alignas(8) uint64_t bar;
    const int x = threadIdx.x, y = threadIdx.y, left = 16 * blockIdx.x, top = 8 * blockIdx.y;
    const bool first = x == 0 && y == 0;
    if (first) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (first) {
        // What sticks out counts as well.
#if DEFECT == 1
        const int bytes = 9 * 17 * sizeof(int) / 4 * 4;
#else
        const int bytes = sizeof tile;
#endif
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, bytes);
#if DEFECT == 4
        const int32_t at[] = {left - 1, top - 1};
#else
        // Boxes begin at multiples of 16 bytes.
        const int32_t at[] = {left - 4, top - 1};
#endif
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &bar); // <- copy
    }
#if DEFECT != 2
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)); // <- wait
#endif
    int sum = 0;
    for (int dy = 0; dy < 3; ++dy)
        for (int dx = 0; dx < 3; ++dx)
#if DEFECT == 3
            sum += tile[y + 2 * dy][x + 3 + dx]; // <- use
#else
            sum += tile[y + dy][x + 3 + dx]; // <- use
#endif
    out[32 * (top + y) + left + x] = sum;
}
//! label 4: it was the clean variant; a GPU stops it
