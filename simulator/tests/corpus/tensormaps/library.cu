// The library's wrappers: a tile comes in, is doubled where it lies, and goes out through another map.
//@ run --entry doubled --grid 1,2 --block 128 --arg tensormap:8x16:in:f32:16x16=iota --arg tensormap:8x16:out:f32:16x16
//! clean
//! defect 1: race at use and copy
//! defect 2: race at out and use
//! defect 3: race at out
//! defect 4: deadlock at wait
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/std/utility>
#pragma nv_diag_suppress static_var_with_dynamic_init
using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;
extern "C" __global__ void doubled(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out)
{
    __shared__ alignas(128) float tile[8][16];
    __shared__ barrier bar;
    const int t = threadIdx.x, y = 8 * blockIdx.y;
    if (t == 0) {
        init(&bar, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (t == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &in, 0, y, bar); // <- copy
#if DEFECT == 4
        token = bar.arrive();
#else
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
#endif
    } else {
        token = bar.arrive();
    }
#if DEFECT != 1
    bar.wait(cuda::std::move(token)); // <- wait
#endif
    tile[t / 16][t % 16] *= 2; // <- use
#if DEFECT != 2
    cde::fence_proxy_async_shared_cta();
#endif
    __syncthreads();
    if (t == 0) {
        cde::cp_async_bulk_tensor_2d_shared_to_global(&out, 0, y, &tile); // <- out
        cde::cp_async_bulk_commit_group();
#if DEFECT != 3
        cde::cp_async_bulk_wait_group_read<0>();
#endif
    }
}
