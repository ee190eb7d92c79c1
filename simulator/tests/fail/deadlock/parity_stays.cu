//@ run --entry staged --grid 2 --block 64 --arg in:f32:1024=iota --arg out:f32:512
// Two tiles come one after the other, and both are waited for with parity 0: the second wait is for a third.
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void staged(const float* in, float* out)
{
    __shared__ alignas(128) float tile[256];
    __shared__ alignas(8) uint64_t bar;
    const int t = threadIdx.x;
    const float* from = in + 512 * blockIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    float sums[4] = {};
    for (int round = 0; round < 2; ++round) {
        __syncthreads();
        if (t == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 1024);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, from + 256 * round, 1024, &bar);
        }
        while (!ptx::mbarrier_try_wait_parity(&bar, 0));
        for (int i = 0; i < 4; ++i) sums[i] += tile[t + 64 * i];
    }
    for (int i = 0; i < 4; ++i) out[256 * blockIdx.x + t + 64 * i] = sums[i];
}
