// A map copied to global memory is used from there; it must be a whole one.
//@ run --entry copied --grid 1 --block 32 --arg tensormap:32:in:i32:64=iota --arg inout:u64:16=zeros --arg out:i32:32
//! clean
//! defect 1: uninitialized_read at copy
//! defect 2: uninitialized_read at copy
//! defect 3: uninitialized_read at copy; arg1=out:u64:16
//! defect 4: misaligned at copy; arg1=inout:u64:32=zeros
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void copied(const __grid_constant__ CUtensorMap map, uint64_t* room, int* out)
{
    __shared__ alignas(128) int tile[32];
    __shared__ alignas(8) uint64_t bar;
    const int t = threadIdx.x;
#if DEFECT == 4
    room += 1;
#endif
#if DEFECT == 1 || DEFECT == 3
    // The first half of it.
    if (t < 8) room[t] = map.opaque[t];
#else
    if (t < 16) room[t] = map.opaque[t];
#endif
#if DEFECT == 2
    if (t == 3) room[t] += 4;
#endif
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (t == 0) {
        ptx::fence_proxy_tensormap_generic(ptx::sem_release, ptx::scope_gpu);
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, room, ptx::n32_t<128>());
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
        const int32_t at[] = {16};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, room, at, &bar); // <- copy
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0));
    out[t] = tile[t];
}
