//@ run --entry bulk --grid 1 --block 32 --arg in:i32:64=iota --arg out:i32:64
// A group's copy of sixteen-byte pieces to a barrier is a bulk copy on this GPU.
#include <cooperative_groups.h>
#include <cuda/barrier>
#pragma nv_diag_suppress static_var_with_dynamic_init

extern "C" __global__ void bulk(const int* in, int* out)
{
    __shared__ __align__(16) int tile[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    auto block = cooperative_groups::this_thread_block();
    if (threadIdx.x == 0) init(&all, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(sizeof(tile)), all);
    all.arrive_and_wait();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
