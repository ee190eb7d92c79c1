//@ run --entry squares --grid 2 --block 64 --arg out:i32:512
// No fence hands the writes to the asynchronous proxy that copies them.
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void squares(int* out)
{
    __shared__ alignas(128) int tile[128];
    const int t = threadIdx.x;
    for (int half = 0; half < 2; ++half) {
        for (int i = t; i < 128; i += 64) tile[i] = i * i + 1000 * half;
        // Each thread hands over its own writes.
        __syncthreads();
        if (t == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + 256 * blockIdx.x + 128 * half, tile, 512);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        }
        __syncthreads();
    }
}
