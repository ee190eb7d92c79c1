// Blocks add their tiles up in one place, by copies that update what is there.
//@ run --entry total --grid 4 --block 32 --arg tensormap:2x16:inout:i32:2x16=zeros --arg same:0
//! clean
//! defect 1: race at add and write
//! defect 2: race at add and plain
//! defect 3: race at look and add
//! defect 4: race at again and add
//! defect 5: uninitialized_read at add|plain; arg0=tensormap:2x16:out:i32:2x16
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void total(const __grid_constant__ CUtensorMap map, int* sums)
{
    __shared__ alignas(128) int tile[2][16];
    const int t = threadIdx.x;
    tile[t / 16][t % 16] = t; // <- write
#if DEFECT != 1
    ptx::fence_proxy_async(ptx::space_shared);
#endif
    __syncwarp();
#if DEFECT == 2
    if (blockIdx.x == 3) sums[t] = 0; // <- plain
#else
    // Other atomics are no harm.
    atomicAdd(&sums[t], 1); // <- plain
#endif
    if (t == 0) {
        const int32_t at[] = {0, 0};
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &map, at, tile); // <- add
        ptx::cp_async_bulk_commit_group();
#if DEFECT == 3
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        if (blockIdx.x == 0 && sums[3] == 7) tile[0][0] = 1; // <- look
#elif DEFECT == 4
        tile[1][2] = 0; // <- again
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
#else
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
#endif
    }
}
//! label 5: it was at the copy alone; the other atomics come first and find as little
