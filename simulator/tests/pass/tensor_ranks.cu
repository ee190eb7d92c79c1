//@ run --entry moved --grid 1 --block 32 --arg tensormap:32:in:u8:48=iota --arg tensormap:32:out:u8:32
//@ run --arg tensormap:2x3x8:in:f16:3x4x16=iota --arg tensormap:2x3x8:inout:f16:3x4x16=const:-1
//@ run --arg tensormap:2x1x2x4:in:f64:2x2x4x4=iota --arg tensormap:2x1x2x4:out:f64:2x2x4x4
//@ run --arg tensormap:2x1x2x3x4,steps=1x1x2x2x1:in:i32:2x2x3x4x4=iota --arg out:i32:16
//@ run --arg tensormap:4x8,fill=nan:in:f32:4x8=iota --arg out:f32:32
// Boxes of tensors of one to five dimensions come and go; where they stick out, nothing is written, and a load has zeros or NaN.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void moved(const __grid_constant__ CUtensorMap from1, const __grid_constant__ CUtensorMap to1,
    const __grid_constant__ CUtensorMap from3, const __grid_constant__ CUtensorMap to3,
    const __grid_constant__ CUtensorMap from4, const __grid_constant__ CUtensorMap to4,
    const __grid_constant__ CUtensorMap from5, int* out5, const __grid_constant__ CUtensorMap nan, float* outside)
{
    __shared__ alignas(128) char one[32], three[128], four[128];
    __shared__ alignas(128) int five[32];
    __shared__ alignas(128) float two[32];
    __shared__ alignas(8) uint64_t arrived;
    const int t = threadIdx.x;
    const auto cluster = ptx::space_cluster;
    const auto shared = ptx::space_shared;
    const auto global = ptx::space_global;
    if (t == 0) {
        ptx::mbarrier_init(&arrived, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        // One of three rows in the fourth dimension of `five` is copied, and two of three in the second.
        const int bytes = 32 + 2 * 3 * 8 * 2 + 2 * 1 * 2 * 4 * 8 + 2 * 1 * 1 * 2 * 4 * 4 + 128;
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, shared, &arrived, bytes);
        const int32_t at1[] = {-16}, at3[] = {8, -1, 1}, at4[] = {2, 3, 1, 0}, at5[] = {0, 1, 0, 1, 0}, at2[] = {4, -1};
        ptx::cp_async_bulk_tensor(cluster, global, one, &from1, at1, &arrived);
        ptx::cp_async_bulk_tensor(cluster, global, three, &from3, at3, &arrived);
        ptx::cp_async_bulk_tensor(cluster, global, four, &from4, at4, &arrived);
        ptx::cp_async_bulk_tensor(cluster, global, five, &from5, at5, &arrived);
        ptx::cp_async_bulk_tensor(cluster, global, two, &nan, at2, &arrived);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&arrived, 0));
    if (t == 0) {
        const int32_t at1[] = {0}, at3[] = {8, 2, 2}, at4[] = {2, 3, 0, 1};
        ptx::cp_async_bulk_tensor(global, shared, &to1, at1, one);
        ptx::cp_async_bulk_tensor(global, shared, &to3, at3, three);
        ptx::cp_async_bulk_tensor(global, shared, &to4, at4, four);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
    if (t < 16) out5[t] = five[t];
    outside[t] = two[t];
}
