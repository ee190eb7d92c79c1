//! style: no cooperative groups, but the functions of the compiler that they are made of.

#include "course.cuh"

LAUNCH_CONSTANT(THREADS, 1024);
LAUNCH_CONSTANT(BLOCKS_PER_CLUSTER, 8);
LAUNCH_CONSTANT(BINS_PER_BLOCK, 32768);
LAUNCH_CONSTANT(MOST_CLUSTERS, 16);

extern "C" __global__ void histogram(const unsigned int *in, unsigned int *counts, int n,
                                     int bins) {
    extern __shared__ unsigned int mine[];
    int first = __clusterRelativeBlockRank() * BINS_PER_BLOCK;
    int kept = min(BINS_PER_BLOCK, bins - first);
    for (int bin = threadIdx.x; bin < kept; bin += blockDim.x) {
        mine[bin] = 0;
    }
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int bin = in[i];
        unsigned int *theirs =
            static_cast<unsigned int *>(__cluster_map_shared_rank(mine, bin / BINS_PER_BLOCK));
        atomicAdd(&theirs[bin % BINS_PER_BLOCK], 1);
    }
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    for (int bin = threadIdx.x; bin < kept; bin += blockDim.x) {
        atomicAdd(&counts[first + bin], mine[bin]);
    }
}
