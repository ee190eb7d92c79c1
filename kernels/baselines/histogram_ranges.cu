// Baseline of 21-clusters: blocks work by themselves. A block keeps as many bins as its shared
// memory holds. There are more bins than that, so all elements are read once for each such range of
// bins.
#include "course.cuh"

LAUNCH_CONSTANT(THREADS, 1024);
LAUNCH_CONSTANT(BLOCKS_PER_CLUSTER, 1);
LAUNCH_CONSTANT(BINS_PER_BLOCK, 58112);
LAUNCH_CONSTANT(MOST_CLUSTERS, 132);

extern "C" __global__ void histogram(const unsigned int *in, unsigned int *counts, int n,
                                     int bins) {
    constexpr int UNROLL = 4;
    extern __shared__ unsigned int mine[];
    const uint4 *vectors = reinterpret_cast<const uint4 *>(in);
    // Neighbouring blocks read the same elements for different ranges, so that the L2 cache serves
    // all but the first.
    int ranges = ceil_div(bins, BINS_PER_BLOCK);
    int slices = max(static_cast<int>(gridDim.x) / ranges, 1);
    int threads = slices * blockDim.x;
    for (int task = blockIdx.x; task < ranges * slices; task += gridDim.x) {
        int first = task % ranges * BINS_PER_BLOCK;
        int kept = min(BINS_PER_BLOCK, bins - first);
        for (int bin = threadIdx.x; bin < kept; bin += blockDim.x) {
            mine[bin] = 0;
        }
        __syncthreads();

        auto count = [&](unsigned int bin) {
            unsigned int here = bin - first;
            if (here < kept) {
                atomicAdd(&mine[here], 1);
            }
        };
        auto count_all = [&](uint4 four) {
            for (unsigned int bin : {four.x, four.y, four.z, four.w}) {
                count(bin);
            }
        };
        int thread = task / ranges * blockDim.x + threadIdx.x;
        int i = thread;
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
        int last = n / 4 * 4 + thread;
        if (last < n) {
            count(in[last]);
        }

        __syncthreads();
        // Each thread clears the counts that it has merged, so that no barrier is needed before the
        // next range.
        for (int bin = threadIdx.x; bin < kept; bin += blockDim.x) {
            atomicAdd(&counts[first + bin], mine[bin]);
        }
    }
}
