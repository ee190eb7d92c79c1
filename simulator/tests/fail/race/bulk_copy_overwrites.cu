//@ run --entry sums --grid 1 --block 64 --arg in:i32:256=iota --arg out:i32:32
// The next tile is copied over the one that others may still read: a second barrier for empty stages is missing.
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void sums(const int* in, int* out)
{
    __shared__ alignas(128) int tile[32];
    __shared__ alignas(8) uint64_t full[2];
    const int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&full[0], 1);
        ptx::mbarrier_init(&full[1], 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 2; ++i) {
        if (t == 32) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[i], sizeof tile);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + 32 * i, sizeof tile, &full[i]);
        }
        while (!ptx::mbarrier_try_wait_parity(&full[i], 0));
        if (t < 32) sum += tile[t];
    }
    if (t < 32) out[t] = sum;
}
