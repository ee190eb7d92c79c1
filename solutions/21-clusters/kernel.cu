// 21-clusters: how often each of many values occurs, counted in the shared memory of a cluster.
//
// Task
//   For every v below `bins`, add to counts[v] how many of the n elements of `in` are v. Every
//   element is below `bins`. The host has set `counts` to zero.
//
// Given
//   There is one launch of clusters of blocks, all in x. It has a thread for every 16 elements,
//   rounded up to whole clusters, but at most MOST_CLUSTERS clusters: a thread counts several
//   elements. In most cases a cluster has BLOCKS_PER_CLUSTER blocks and a block THREADS threads.
//   Some cases have clusters of fewer blocks, down to one, and 64 threads in a block: ask the
//   cluster, and blockDim.x. Every block has dynamic shared memory for BINS_PER_BLOCK counts. One
//   block has too few for all bins; a cluster has enough: bins <= its blocks * BINS_PER_BLOCK.
//   bins is anything from 1 to 2^18, n anything from 0 to 2^28. Both arrays start at a multiple of
//   256 bytes.
//
// Write
//   Between the marks: block r of a cluster keeps the counts of bins r * BINS_PER_BLOCK and up in its
//   shared memory. Every block reads its share of the elements, and counts each in the block of the
//   cluster that keeps the element's bin. In the end each block adds its counts once to `counts`.
//
// Rules
//   Every sector of `in` is read once: neighbouring threads read neighbouring elements.
//   Use global atomics only to add the sums of a cluster: each bin once, and neighbouring threads
//   add neighbouring bins.
//
// Check
//   grader check 21-clusters
//   grader hint 21-clusters            (if you are stuck)

#include <cooperative_groups.h>

#include "course.cuh"

namespace cg = cooperative_groups;

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024; blocks in a cluster, from 1
// to 8; counts that a block keeps, a multiple of 32 from 32768 to 58112; and how many clusters at
// most, from 2 to 1024.
LAUNCH_CONSTANT(THREADS, 1024);
LAUNCH_CONSTANT(BLOCKS_PER_CLUSTER, 8);
LAUNCH_CONSTANT(BINS_PER_BLOCK, 32768);
LAUNCH_CONSTANT(MOST_CLUSTERS, 16);

static_assert(BLOCKS_PER_CLUSTER * BINS_PER_BLOCK >= 1 << 18, "a cluster must hold all counts");

extern "C" __global__ void histogram(const unsigned int *in, unsigned int *counts, int n,
                                     int bins) {
    // >>> your code: count in the cluster's shared memory, then add the counts to `counts`
    extern __shared__ unsigned int mine[];
    cg::cluster_group cluster = cg::this_cluster();
    // The bins that this block keeps; the last block may keep fewer, or none.
    int first = cluster.block_rank() * BINS_PER_BLOCK;
    int kept = min(BINS_PER_BLOCK, bins - first);
    for (int bin = threadIdx.x; bin < kept; bin += blockDim.x) {
        mine[bin] = 0;
    }
    // No thread of the cluster counts before all of its blocks have begun and all counts are zero ...
    cluster.sync();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int bin = in[i];
        unsigned int *theirs = cluster.map_shared_rank(mine, bin / BINS_PER_BLOCK);
        atomicAdd(&theirs[bin % BINS_PER_BLOCK], 1);
    }

    // ... and none merges, or leaves, before all threads have counted. After this line every block
    // reads only its own counts.
    cluster.sync();
    for (int bin = threadIdx.x; bin < kept; bin += blockDim.x) {
        atomicAdd(&counts[first + bin], mine[bin]);
    }
    // <<<
}
