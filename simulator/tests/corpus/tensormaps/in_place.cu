// A matrix is changed where it lies: each block reads its tile through a map and writes other rows' elements by their pointer.
//@ run --entry moved --grid 2 --block 32 --arg tensormap:4x32,dims=8x60:inout:i32:16x64=iota --arg same:0
//! clean
//! defect 1: race at store and copy
//! defect 2: race at load and out
//! defect 3: race at store2 and out
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void moved(const __grid_constant__ CUtensorMap map, int* matrix)
{
    __shared__ alignas(128) int tile[4][32];
    __shared__ alignas(8) uint64_t bar;
    const int t = threadIdx.x, x = 32 * blockIdx.x;
    const int32_t at[] = {x, 0}, below[] = {x, 4};
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (t == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &bar); // <- copy
    }
#if DEFECT == 1
    if (t < 28) matrix[64 * 2 + x + t] = -1; // <- store
#else
    // Between the rows of the box, and right of the tensor.
    matrix[64 * 9 + x + t] = -1; // <- store
#endif
    if (blockIdx.x == 1 && t >= 28) matrix[64 * 2 + x + t] = -2;
    while (!ptx::mbarrier_try_wait_parity(&bar, 0));
    __syncthreads();
    if (t == 0) {
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, below, tile); // <- out
        ptx::cp_async_bulk_commit_group();
#if DEFECT == 2
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        if (matrix[64 * 5 + x + 3] == 7) matrix[64 * 12] = 1; // <- load
#elif DEFECT == 3
        matrix[64 * 7 + x + 5] = 0; // <- store2
#else
        if (matrix[64 * 3 + x + 3] == 7) matrix[64 * 12] = 1; // <- load
#endif
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}
