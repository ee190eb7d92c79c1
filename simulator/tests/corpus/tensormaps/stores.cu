// A block fills a tile and one thread has it copied to its place in a matrix.
//@ run --entry squares --grid 2,2 --block 64 --arg tensormap:4x32:out:i32:8x64
//! clean
//! defect 1: race at copy and write
//! defect 2: race at copy and write
//! defect 3: race at again and copy
//! defect 4: uninitialized_read at copy
//! defect 5: misaligned at copy
//! defect 6: race at copy
//! defect 7: out_of_bounds at copy
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void squares(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(128) int tile[5][32];
    const int t = threadIdx.x;
#if DEFECT == 4
    for (int i = t; i < 96; i += 64) tile[i / 32][i % 32] = i * i;
#else
    for (int i = t; i < 160; i += 64) tile[i / 32][i % 32] = i * i; // <- write
#endif
#if DEFECT != 1
    ptx::fence_proxy_async(ptx::space_shared);
#endif
#if DEFECT != 2
    __syncthreads();
#endif
    if (t == 0) {
#if DEFECT == 7
        const int32_t at[] = {int(32 * blockIdx.x), int(4 * blockIdx.y) - 1};
#else
        const int32_t at[] = {int(32 * blockIdx.x), int(4 * blockIdx.y)};
#endif
#if DEFECT == 5
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, &tile[0][16]); // <- copy
#else
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, tile); // <- copy
#endif
        ptx::cp_async_bulk_commit_group();
#if DEFECT == 3
        tile[1][1] = 0; // <- again
#endif
#if DEFECT != 6
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
#endif
    }
}
