//@ run --entry raw --grid 1 --block 32
//@ run --arg tensormap:9x32,swizzle=128:in:i32:9x32=iota --arg tensormap:9x16,swizzle=64:in:i32:9x16=iota
//@ run --arg tensormap:9x8,swizzle=32:in:i32:9x8=iota --arg out:i32:16 --arg out:i32:256 --arg out:i32:144 --arg out:i32:72
// What tiles with swapped chunks look like in shared memory, byte by byte: the tables of the PTX ISA's swizzling modes.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void raw(const __grid_constant__ CUtensorMap by128, const __grid_constant__ CUtensorMap by64,
    const __grid_constant__ CUtensorMap by32, int* at_128, int* out128, int* out64, int* out32)
{
    __shared__ alignas(1024) int tile128[9 * 32];
    __shared__ alignas(1024) int tile64[9 * 16];
    __shared__ alignas(1024) int tile32[9 * 8];
    __shared__ alignas(8) uint64_t arrived;
    const int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&arrived, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        const int bytes = sizeof tile128 + sizeof tile64 + sizeof tile32;
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived, bytes);
        const int32_t at[] = {0, 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile128, &by128, at, &arrived);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile64, &by64, at, &arrived);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile32, &by32, at, &arrived);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&arrived, 0));
    for (int i = t; i < 8 * 32; i += 32) out128[i] = tile128[i];
    for (int i = t; i < 9 * 16; i += 32) out64[i] = tile64[i];
    for (int i = t; i < 9 * 8; i += 32) out32[i] = tile32[i];
    // The ninth row begins the pattern again.
    if (t < 16) at_128[t] = tile128[8 * 32 + t];
}
