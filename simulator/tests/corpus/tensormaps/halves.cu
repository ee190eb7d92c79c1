// Two copies of half a tile count at one barrier, in rows of 64 swapped bytes; outside is NaN.
//@ run --entry sums --grid 1 --block 32 --arg tensormap:8x16,swizzle=64,fill=nan:in:f32:12x32=iota --arg out:f32:32
//! clean
//! defect 1: race at use and second
//! defect 2: race at use and second
//! defect 3: misaligned at second
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void sums(const __grid_constant__ CUtensorMap map, float* out)
{
    __shared__ alignas(512) float tile[2][8][16];
    __shared__ alignas(8) uint64_t bar, other;
    const int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::mbarrier_init(&other, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (t == 0) {
        const int32_t left[] = {0, 8}, right[] = {16, 8};
#if DEFECT == 1
        const int bytes = 512;
        uint64_t* second = &other;
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &other, 512);
#elif DEFECT == 2
        const int bytes = 512;
        uint64_t* second = &bar;
#else
        const int bytes = 1024;
        uint64_t* second = &bar;
#endif
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, bytes);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[0], &map, left, &bar);
#if DEFECT == 3
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &tile[1][0][4], &map, right, second); // <- second
#else
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[1], &map, right, second); // <- second
#endif
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)); // <- wait
    float sum = 0;
    for (int row = 0; row < 8; ++row) {
        const int chunk = t % 16 / 4 ^ row / 2 % 4;
        const float value = tile[t / 16][row][4 * chunk + t % 4]; // <- use
        // Rows from 12 on are outside.
        sum += value != value ? 1000 : value;
    }
    out[t] = sum;
#if DEFECT == 1
    if (t == 0) while (!ptx::mbarrier_try_wait_parity(&other, 0));
#endif
}
//! label 2: it was a deadlock; the first copy alone brings all the bytes of this phase, and the second counts in the next
