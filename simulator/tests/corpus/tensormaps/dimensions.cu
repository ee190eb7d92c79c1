// One copy of a tensor of each rank, side by side; the sum of all that came goes out.
//@ run --entry all --grid 1 --block 32 --arg tensormap:64:in:i32:100=iota --arg tensormap:2x4x4:in:i32:4x6x8=iota
//@ run --arg tensormap:2x2x2x4:in:i32:3x3x4x4=iota --arg tensormap:1x2x1x2x8:in:i32:2x3x2x3x8=iota --arg out:i32:4x64
//! clean
//! defect 1: race at use and five
//! defect 2: out_of_bounds at four
//! defect 3: race at use and five
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void all(const __grid_constant__ CUtensorMap one, const __grid_constant__ CUtensorMap three,
    const __grid_constant__ CUtensorMap four, const __grid_constant__ CUtensorMap five, int* out)
{
    __shared__ alignas(128) int tiles[4][64];
    __shared__ alignas(8) uint64_t bar;
    const int t = threadIdx.x;
    for (int i = t; i < 256; i += 32) tiles[i / 64][i % 64] = -1;
    ptx::fence_proxy_async(ptx::space_shared);
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (t == 0) {
#if DEFECT == 1
        const int bytes = 4 * (64 + 32 + 32);
#elif DEFECT == 3
        const int bytes = 4 * (64 + 32 + 32);
#else
        const int bytes = 4 * (64 + 32 + 32 + 32);
#endif
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, bytes);
        const int32_t at1[] = {52}, at3[] = {4, 3, 2}, at4[] = {0, 3, -1, 1}, at5[] = {0, 2, 1, 0, 1};
        auto to = ptx::space_cluster;
        auto from = ptx::space_global;
        ptx::cp_async_bulk_tensor(to, from, tiles[0], &one, at1, &bar);
        ptx::cp_async_bulk_tensor(to, from, tiles[1], &three, at3, &bar);
#if DEFECT == 2
        ptx::cp_async_bulk_tensor(to, from, tiles[2], &three, at4, &bar); // <- four
#else
        ptx::cp_async_bulk_tensor(to, from, tiles[2], &four, at4, &bar); // <- four
#endif
#if DEFECT != 3
        ptx::cp_async_bulk_tensor(to, from, tiles[3], &five, at5, &bar); // <- five
#endif
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)); // <- wait
#if DEFECT == 3
    if (t == 0) {
        const int32_t at5[] = {0, 2, 1, 0, 1};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 4 * 32);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tiles[3], &five, at5, &bar); // <- five
    }
#endif
    for (int i = t; i < 256; i += 32) out[i] = tiles[i / 64][i % 64]; // <- use
#if DEFECT == 3
    while (!ptx::mbarrier_try_wait_parity(&bar, 1));
#endif
}
//! label 1: it was a deadlock; three copies bring all the bytes of this phase, and the fourth counts in the next
//! label 0: at1 was 50, in byte 200 of a row, and a GPU stops such a kernel: boxes begin at multiples of 16 bytes
