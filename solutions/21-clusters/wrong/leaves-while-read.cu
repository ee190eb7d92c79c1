//! fails: clean/race
//! may fail: correct
//! why: neighbouring bins are kept by different blocks, and a block leaves while other blocks still
//! read its counts.

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
    int blocks = cluster.num_blocks();
    int kept = ceil_div(bins, blocks);
    for (int bin = threadIdx.x; bin < kept; bin += blockDim.x) {
        mine[bin] = 0;
    }
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int bin = in[i];
        unsigned int *theirs = cluster.map_shared_rank(mine, bin % blocks);
        atomicAdd(&theirs[bin / blocks], 1);
    }
    cluster.sync();
    int first = cluster.block_rank() * kept;
    int end = min(first + kept, bins);
    for (int bin = first + threadIdx.x; bin < end; bin += blockDim.x) {
        atomicAdd(&counts[bin], cluster.map_shared_rank(mine, bin % blocks)[bin / blocks]);
    }
}
