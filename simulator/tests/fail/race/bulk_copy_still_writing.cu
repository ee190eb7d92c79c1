//@ run --entry halves --grid 2 --block 32 --arg in:f32:128=iota --arg out:f32:128
// The wait for the source is no wait for the destination.
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void halves(const float* in, float* out)
{
    __shared__ alignas(16) float tile[64], other[64];
    __shared__ alignas(8) uint64_t bar;
    const int t = threadIdx.x, start = 64 * blockIdx.x;
    if (t == 0) ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    tile[t] = in[start + t] / 2;
    tile[t + 32] = in[start + t + 32] / 2;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + start, tile, 256);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        if (out[start] < 0) out[start + 1] = 7;
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}
