// Each block has a tile of a matrix copied in by its coordinates and adds up its columns.
//@ run --entry columns --grid 2,2 --block 32 --arg tensormap:8x32:in:f32:16x64=iota --arg out:f32:2x64
//! clean
//! defect 1: race at use and copy
//! defect 2: deadlock at wait
//! defect 3: deadlock at wait
//! defect 4: misaligned at copy
//! defect 5: out_of_bounds at copy
//! defect 6: uninitialized_read at copy
//! defect 7: out_of_bounds at copy
//! defect 8: race at use and copy
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void columns(const __grid_constant__ CUtensorMap map, float* out)
{
#if DEFECT == 5
    __shared__ alignas(128) float tile[7][32];
#else
    __shared__ alignas(128) float tile[9][32];
#endif
    __shared__ alignas(8) uint64_t bar;
    const int t = threadIdx.x, x = 32 * blockIdx.x, y = 8 * blockIdx.y;
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (t == 0) {
#if DEFECT == 2
        // The bytes of one row too many.
        const int bytes = 9 * 32 * sizeof(float);
#elif DEFECT == 3
        const int bytes = 4 * 32 * sizeof(float);
#else
        const int bytes = 8 * 32 * sizeof(float);
#endif
#if DEFECT == 8
        ptx::mbarrier_arrive(&bar);
#else
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, bytes);
#endif
#if DEFECT == 7
        const int32_t at[] = {x, y, 0};
#else
        const int32_t at[] = {x, y};
#endif
#if DEFECT == 4
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &tile[0][4], &map, at, &bar); // <- copy
#elif DEFECT == 6
        // The output's address in the map's place.
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, (const CUtensorMap*)out, at, &bar); // <- copy
#else
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &bar); // <- copy
#endif
    }
#if DEFECT != 1
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)); // <- wait
#endif
    float sum = 0;
    for (int row = 0; row < 8; ++row) sum += tile[row][t % 32]; // <- use
    out[64 * blockIdx.y + x + t] = sum;
}
//! label 8: it was a deadlock; an arrival without bytes ends the phase at once, and the copy counts in the next, for which nobody waits
