//@ run --entry border --grid 1 --block 32 --arg tensormap:4x8:inout:i32:8x32=zeros
// A tile with a border goes back as a whole: its box begins in the row before the tensor.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void border(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(128) int tile[32];
    const int t = threadIdx.x;
    tile[t] = t;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0) {
        const int32_t at[] = {8, -1};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}
