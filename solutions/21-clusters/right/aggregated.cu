//! style: lanes that have the same bin agree by __match_any_sync, and one of them adds for all.

#include <cooperative_groups.h>

#include "course.cuh"

namespace cg = cooperative_groups;

LAUNCH_CONSTANT(THREADS, 768);
LAUNCH_CONSTANT(BLOCKS_PER_CLUSTER, 8);
LAUNCH_CONSTANT(BINS_PER_BLOCK, 40000);
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
    int lane = threadIdx.x % 32;
    int step = gridDim.x * blockDim.x;
    for (int start = blockIdx.x * blockDim.x + threadIdx.x - lane; start < n; start += step) {
        int i = start + lane;
        unsigned int there = __ballot_sync(0xffffffff, i < n);
        if (i < n) {
            unsigned int bin = in[i];
            unsigned int same = __match_any_sync(there, bin);
            if (__ffs(same) - 1 == lane) {
                unsigned int *theirs = cluster.map_shared_rank(mine, bin / BINS_PER_BLOCK);
                atomicAdd(&theirs[bin % BINS_PER_BLOCK], __popc(same));
            }
        }
    }
    cluster.sync();
    for (int bin = threadIdx.x; bin < kept; bin += blockDim.x) {
        atomicAdd(&counts[first + bin], mine[bin]);
    }
}
