//@ run --entry outside --grid 1 --block 32 --arg tensormap:8,fill=nan:in:f16:16=iota
//@ run --arg tensormap:4,fill=nan:in:f32:8=iota --arg tensormap:2,fill=nan:in:f64:4=iota --arg out:u16:8 --arg out:u32:4 --arg out:u64:2
// Boxes that lie outside of their tensors come as NaN, whose bits are told.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void outside(const __grid_constant__ CUtensorMap half, const __grid_constant__ CUtensorMap single,
    const __grid_constant__ CUtensorMap twice, uint16_t* halves, uint32_t* singles, uint64_t* twices)
{
    __shared__ alignas(128) uint16_t h[8];
    __shared__ alignas(128) uint32_t s[4];
    __shared__ alignas(128) uint64_t d[2];
    __shared__ alignas(8) uint64_t arrived;
    const int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&arrived, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived, 48);
        const int32_t before[] = {-8}, behind[] = {8}, last[] = {4};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, h, &half, before, &arrived);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s, &single, behind, &arrived);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, d, &twice, last, &arrived);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&arrived, 0));
    if (t < 8) halves[t] = h[t];
    if (t < 4) singles[t] = s[t];
    if (t < 2) twices[t] = d[t];
}
