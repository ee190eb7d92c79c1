//@ run --entry turned --grid 2 --block 64 --arg in:i32:512=iota --arg out:i32:512
// Tiles come in by bulk copies through a ring of two stages, are turned around, and go out by bulk copies again.
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void turned(const int* in, int* out)
{
    __shared__ alignas(128) int from[2][64], to[2][64];
    __shared__ alignas(8) uint64_t full[2];
    const int t = threadIdx.x, start = 256 * blockIdx.x;
    auto begin = [&](int tile) {
        const int s = tile % 2;
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof from[s]);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, from[s], in + start + 64 * tile, sizeof from[s], &full[s]);
    };
    if (t == 0) {
        ptx::mbarrier_init(&full[0], 1);
        ptx::mbarrier_init(&full[1], 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        begin(0);
        begin(1);
    }
    __syncthreads();
    for (int tile = 0; tile < 4; ++tile) {
        const int s = tile % 2;
        while (!ptx::mbarrier_try_wait_parity(&full[s], tile / 2));
        // At most the newest copy out still reads its stage, which is the other one.
        if (t == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
        __syncthreads();
        to[s][t] = from[s][63 - t];
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (t == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + start + 64 * tile, to[s], sizeof to[s]);
            ptx::cp_async_bulk_commit_group();
            if (tile < 2) begin(tile + 2);
        }
    }
    if (t == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}
