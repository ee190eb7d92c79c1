//! style: arrival and wait apart: the first element is on its way while the other blocks clear.

#include <cooperative_groups.h>

#include "course.cuh"

namespace cg = cooperative_groups;

LAUNCH_CONSTANT(THREADS, 256);
LAUNCH_CONSTANT(BLOCKS_PER_CLUSTER, 6);
LAUNCH_CONSTANT(BINS_PER_BLOCK, 43712);
LAUNCH_CONSTANT(MOST_CLUSTERS, 40);

extern "C" __global__ void histogram(const unsigned int *in, unsigned int *counts, int n,
                                     int bins) {
    extern __shared__ unsigned int mine[];
    cg::cluster_group cluster = cg::this_cluster();
    int first = cluster.block_rank() * BINS_PER_BLOCK;
    int kept = min(BINS_PER_BLOCK, bins - first);
    for (int bin = threadIdx.x; bin < kept; bin += blockDim.x) {
        mine[bin] = 0;
    }
    cluster.barrier_arrive();
    int step = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int bin = i < n ? in[i] : 0;
    cluster.barrier_wait();
    while (i < n) {
        unsigned int *theirs = cluster.map_shared_rank(mine, bin / BINS_PER_BLOCK);
        atomicAdd(&theirs[bin % BINS_PER_BLOCK], 1);
        i += step;
        bin = i < n ? in[i] : 0;
    }
    cluster.sync();
    for (int bin = threadIdx.x; bin < kept; bin += blockDim.x) {
        atomicAdd(&counts[first + bin], mine[bin]);
    }
}
