//@ run --entry shared --grid 8 --block 64 --cluster 4 --arg in:i32:2x256=iota --arg tensormap:8x16:in:i16:32x16=iota
//@ run --arg out:i32:8x256 --arg out:i16:8x8x16 --arg out:i32:8x64
// A cluster's blocks bring parts of their input to all, to some, to one other: from global memory, by a tensor map, and from their own memory.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
namespace cg = cooperative_groups;

__device__ unsigned in_shared(const void* p) { return __cvta_generic_to_shared(p); }

__device__ unsigned at_rank(const void* p, int rank)
{
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(in_shared(p)), "r"(rank));
    return there;
}

extern "C" __global__ void shared(const int* in, const __grid_constant__ CUtensorMap map, int* whole, short* boxes, int* sums)
{
    __shared__ alignas(128) int tile[256], mine[64], theirs[64];
    __shared__ alignas(128) short box[8][16];
    __shared__ alignas(8) uint64_t full, from_map, handed_on;
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x, rank = cluster.block_rank(), number = blockIdx.x / 4;
    if (t == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_init(&from_map, 1);
        ptx::mbarrier_init(&handed_on, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cluster.sync();
    if (t == 0) {
        // Each block's quarter goes to all four.
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        const unsigned short all = 15;
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 256, [%2], %3;" ::"r"(in_shared(tile + 64 * rank)),
            "l"(in + 256 * number + 64 * rank), "r"(in_shared(&full)), "h"(all) : "memory");
        // The first block brings a box of its cluster's to itself and the fourth, the third one to the second.
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &from_map, rank == 2 ? 0 : sizeof box);
        if (rank == 0) {
            const unsigned short two = 9;
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(in_shared(box)),
                "l"(&map), "r"(0), "r"(16 * number), "r"(in_shared(&from_map)), "h"(two) : "memory");
        } else if (rank == 2) {
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(at_rank(box, 1)),
                "l"(&map), "r"(0), "r"(16 * number + 8), "r"(at_rank(&from_map, 1)) : "memory");
        }
    }
    while (!ptx::mbarrier_try_wait_parity(&full, 0));
    while (!ptx::mbarrier_try_wait_parity(&from_map, 0));
    for (int i = t; i < 256; i += 64) whole[256 * blockIdx.x + i] = tile[i];
    for (int i = t; i < 128; i += 64) boxes[128 * blockIdx.x + i] = rank == 2 ? -1 : box[i / 16][i % 16];
    mine[t] = tile[4 * t] + tile[4 * t + 1] + rank;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &handed_on, sizeof theirs);
        const int next = (rank + 1) % 4;
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(at_rank(theirs, next)), "r"(in_shared(mine)),
            "r"(at_rank(&handed_on, next)) : "memory");
    }
    while (!ptx::mbarrier_try_wait_parity(&handed_on, 0));
    sums[64 * blockIdx.x + t] = theirs[t];
    cluster.sync();
}
