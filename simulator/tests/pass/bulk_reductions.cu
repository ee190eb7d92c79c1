//@ run --entry totals --grid 4 --block 64 --arg inout:i32:64=iota --arg inout:f32:64=ones --arg inout:u32:64=const:5
//@ run --arg tensormap:4x16:inout:i32:6x20=zeros --arg inout:u64:16=const:240
// Each block adds its tile to what is in global memory, by copies that update: sums, the smallest, bits, and a box that sticks out.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void totals(int* sums, float* halves, unsigned* least, const __grid_constant__ CUtensorMap map, uint64_t* bits)
{
    __shared__ alignas(128) int tile[64];
    __shared__ alignas(128) float fractions[64];
    __shared__ alignas(128) unsigned numbers[64];
    __shared__ alignas(128) uint64_t masks[16];
    const int t = threadIdx.x, b = blockIdx.x;
    tile[t] = 100 * b + t;
    fractions[t] = 0.5f * b;
    numbers[t] = (t + 16 * b) % 64;
    if (t < 16) masks[t] = 1ull << (b + t);
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sums, tile, sizeof tile);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, halves, fractions, sizeof fractions);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_min, least, numbers, sizeof numbers);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_or_op, bits, masks, sizeof masks);
        const int32_t at[] = {8, b};
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &map, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}
