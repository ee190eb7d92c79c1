//@ run --entry arrivals --grid 4 --block 96 --cluster 2 --arg out:i32:384
// Blocks tell each other by barriers in shared memory, with arrivals from the other block, round by round.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ unsigned address(const void* generic) { return __cvta_generic_to_shared(generic); }
extern "C" __global__ void arrivals(int* out)
{
    __shared__ int box[2][96];
    // Two, for a block may be a round ahead: of one, a phase could begin and end before all have seen the end of the one before.
    __shared__ unsigned long long full[2];
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x;
    if (t == 0) {
        for (auto& each : full) asm volatile("mbarrier.init.shared::cta.b64 [%0], 96;" :: "r"(address(&each)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    unsigned theirs;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(theirs) : "r"(address(full)), "r"(cluster.block_rank() ^ 1));
    int value = 1000 * blockIdx.x + t;
    for (int k = 0; k < 6; ++k) {
        cluster.map_shared_rank(box[k % 2], cluster.block_rank() ^ 1)[95 - t] = value;
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(theirs + 8 * (k % 2)) : "memory");
        unsigned over = 0;
        while (!over) {
            asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                         : "=r"(over) : "r"(address(&full[k % 2])), "r"(k / 2 % 2) : "memory");
        }
        value = box[k % 2][t] + 1;
    }
    out[96 * blockIdx.x + t] = value;
    cluster.sync();
}
