//@ run --entry rows --grid 1 --block 32 --arg tensormap:4x32:out:i32:4x32
// A tile that a tensor copy takes must lie at a multiple of 128 bytes.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void rows(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(128) int room[4 * 32 + 16];
    int* tile = room + 16;
    const int t = threadIdx.x;
    for (int row = 0; row < 4; ++row) tile[32 * row + t] = row;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0) {
        const int32_t at[] = {0, 0};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}
