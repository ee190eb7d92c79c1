// A block writes a tile, and one thread has it copied to global memory in bulk: a fence hands the writes to the asynchronous proxy.
//@ run --entry squares --grid 2 --block 64 --arg out:i32:512
//! clean
//! defect 1: race at copy and write
//! defect 2: race at copy and write
//! defect 3: race at copy and write
//! defect 4: race at again and copy
//! defect 5: out_of_bounds at copy
//! defect 6: misaligned at copy
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void squares(int* out)
{
    __shared__ alignas(128) int tile[128];
    const int t = threadIdx.x;
    for (int half = 0; half < 2; ++half) {
        for (int i = t; i < 128; i += 64) tile[i] = i * i + 1000 * half; // <- write
        // Each thread hands over its own writes.
#if DEFECT != 1 && DEFECT != 2
        ptx::fence_proxy_async(ptx::space_shared);
#elif DEFECT == 2
        // Only one thread does, before it knows of the others' writes.
        if (t == 0) ptx::fence_proxy_async(ptx::space_shared);
#endif
#if DEFECT != 3
        __syncthreads();
#endif
        if (t == 0) {
#if DEFECT == 5
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + 256 * blockIdx.x + 128 * half, tile, 528); // <- copy
#elif DEFECT == 6
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + 256 * blockIdx.x + 128 * half, tile, 500); // <- copy
#else
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + 256 * blockIdx.x + 128 * half, tile, 512); // <- copy
#endif
            ptx::cp_async_bulk_commit_group();
#if DEFECT != 4
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
#endif
        }
        __syncthreads();
#if DEFECT == 4
        if (half == 0 && t == 0) tile[1] = 0; // <- again
        __syncthreads();
        if (t == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        __syncthreads();
#endif
    }
}
