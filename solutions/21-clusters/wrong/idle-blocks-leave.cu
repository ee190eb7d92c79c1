//! fails: correct, clean/race
//! why: a block without elements leaves when it has cleared its counts, and the other blocks count
//! in the shared memory of a block that is gone.

#include <cooperative_groups.h>

#include "course.cuh"

namespace cg = cooperative_groups;

LAUNCH_CONSTANT(THREADS, 1024);
LAUNCH_CONSTANT(BLOCKS_PER_CLUSTER, 8);
LAUNCH_CONSTANT(BINS_PER_BLOCK, 32768);
LAUNCH_CONSTANT(MOST_CLUSTERS, 16);

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
    if (static_cast<int>(blockIdx.x * blockDim.x) >= n) {
        return;
    }
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int bin = in[i];
        unsigned int *theirs = cluster.map_shared_rank(mine, bin / BINS_PER_BLOCK);
        atomicAdd(&theirs[bin % BINS_PER_BLOCK], 1);
    }
    cluster.sync();
    for (int bin = threadIdx.x; bin < kept; bin += blockDim.x) {
        atomicAdd(&counts[first + bin], mine[bin]);
    }
}
