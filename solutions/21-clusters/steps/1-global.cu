//! fails: global_load_sectors, global_atomic_requests
//! why: for comparison, without shared memory: each element is an atomic in global memory.
// Step 1: each element is an atomic in global memory. There are many bins, so that threads seldom
// meet where values are evenly distributed.

#include "course.cuh"

LAUNCH_CONSTANT(THREADS, 256);
LAUNCH_CONSTANT(BLOCKS_PER_CLUSTER, 1);
LAUNCH_CONSTANT(BINS_PER_BLOCK, 32768);
LAUNCH_CONSTANT(MOST_CLUSTERS, 1024);

extern "C" __global__ void histogram(const unsigned int *in, unsigned int *counts, int n,
                                     int bins) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&counts[in[i]], 1);
    }
}
