//@ run --entry sums --grid 1 --block 64 --arg in:i32:256=iota --arg out:i32:32
// The readers arrive at a second barrier before the next tile is copied over theirs, and hand nothing over to the asynchronous proxy.
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void sums(const int* in, int* out)
{
    __shared__ alignas(128) int tile[32];
    __shared__ alignas(8) uint64_t full, empty;
    const int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_init(&empty, 32);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (t == 32) {
        for (int i = 0; i < 4; ++i) {
            while (!ptx::mbarrier_try_wait_parity(&empty, (i + 1) % 2));
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + 32 * i, sizeof tile, &full);
        }
    }
    if (t < 32) {
        int sum = 0;
        for (int i = 0; i < 4; ++i) {
            while (!ptx::mbarrier_try_wait_parity(&full, i % 2));
            sum += tile[t];
            ptx::mbarrier_arrive(&empty);
        }
        out[t] = sum;
    }
}
