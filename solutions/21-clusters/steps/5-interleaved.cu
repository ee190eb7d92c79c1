// Step 5: the same, but different blocks keep neighbouring bins: block b % blocks of the cluster
// keeps bin b. Where neighbouring values are frequent, all blocks share the work. Neighbouring
// threads still merge neighbouring bins, so they read counts of other blocks, and no block leaves
// before they have.

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

// BLOCKS is the number of blocks in a cluster, or 0 where it is known at run time only.
template <int BLOCKS>
__device__ __forceinline__ void count_in_cluster(const unsigned int *in, unsigned int *counts,
                                                 int n, int bins) {
    extern __shared__ unsigned int mine[];
    cg::cluster_group cluster = cg::this_cluster();
    int blocks = BLOCKS > 0 ? BLOCKS : static_cast<int>(cluster.num_blocks());
    auto count_of = [&](unsigned int bin) {
        return cluster.map_shared_rank(mine, bin % blocks) + bin / blocks;
    };
    int kept = ceil_div(bins, blocks);
    for (int i = threadIdx.x; i < kept; i += blockDim.x) {
        mine[i] = 0;
    }
    cluster.sync();
    for_each_element(in, n, [&](unsigned int bin) { atomicAdd(count_of(bin), 1); });
    cluster.sync();
    int first = cluster.block_rank() * kept;
    int end = min(first + kept, bins);
    for (int bin = first + threadIdx.x; bin < end; bin += blockDim.x) {
        atomicAdd(&counts[bin], *count_of(bin));
    }
    cluster.sync(); // Other blocks may still be reading this block's counts.
}

extern "C" __global__ void histogram(const unsigned int *in, unsigned int *counts, int n,
                                     int bins) {
    if (cg::this_cluster().num_blocks() == BLOCKS_PER_CLUSTER) {
        count_in_cluster<BLOCKS_PER_CLUSTER>(in, counts, n, bins);
    } else {
        count_in_cluster<0>(in, counts, n, bins);
    }
}
