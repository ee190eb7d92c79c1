//@ run --entry doubled --grid 2 --block 64 --arg in:f32:512=iota --arg out:f32:512
// Nobody waits for the phase in which the bytes of the copy count.
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void doubled(const float* in, float* out)
{
    __shared__ alignas(128) float tile[256];
    __shared__ alignas(8) uint64_t bar;
    const int t = threadIdx.x;
    const float* from = in + 256 * blockIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (t == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 1024);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, from, 1024, &bar);
    }
    for (int i = t; i < 256; i += 64) out[256 * blockIdx.x + i] = 2 * tile[i];
}
