// Step 4: the cluster's counts are the same, but each load brings four elements, and four loads are
// on their way at once. A thread then sends sixteen elements to the blocks that keep their bins.

#include <cooperative_groups.h>

#include "course.cuh"

namespace cg = cooperative_groups;

LAUNCH_CONSTANT(THREADS, 1024);
LAUNCH_CONSTANT(BLOCKS_PER_CLUSTER, 8);
LAUNCH_CONSTANT(BINS_PER_BLOCK, 32768);
LAUNCH_CONSTANT(MOST_CLUSTERS, 16);

// Calls count(bin) for every element of this thread: UNROLL vectors are on their way at once, then
// one, then single elements.
template <typename Count>
__device__ __forceinline__ void for_each_element(const unsigned int *in, int n, Count count) {
    constexpr int UNROLL = 4;
    const uint4 *vectors = reinterpret_cast<const uint4 *>(in);
    auto count_all = [&](uint4 four) {
        for (unsigned int bin : {four.x, four.y, four.z, four.w}) {
            count(bin);
        }
    };
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    int i = first;
    for (; i + (UNROLL - 1) * threads < n / 4; i += UNROLL * threads) {
        uint4 loaded[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; ++k) {
            loaded[k] = vectors[i + k * threads];
        }
#pragma unroll
        for (int k = 0; k < UNROLL; ++k) {
            count_all(loaded[k]);
        }
    }
    for (; i < n / 4; i += threads) {
        count_all(vectors[i]);
    }
    int last = n / 4 * 4 + first;
    if (last < n) {
        count(in[last]);
    }
}

extern "C" __global__ void histogram(const unsigned int *in, unsigned int *counts, int n,
                                     int bins) {
    extern __shared__ unsigned int mine[];
    cg::cluster_group cluster = cg::this_cluster();
    int first = cluster.block_rank() * BINS_PER_BLOCK;
    int kept = min(BINS_PER_BLOCK, bins - first);
    for (int bin = threadIdx.x; bin < kept; bin += blockDim.x) {
        mine[bin] = 0;
    }
    cluster.sync();
    for_each_element(in, n, [&](unsigned int bin) {
        unsigned int *theirs = cluster.map_shared_rank(mine, bin / BINS_PER_BLOCK);
        atomicAdd(&theirs[bin % BINS_PER_BLOCK], 1);
    });
    cluster.sync();
    for (int bin = threadIdx.x; bin < kept; bin += blockDim.x) {
        atomicAdd(&counts[first + bin], mine[bin]);
    }
}
