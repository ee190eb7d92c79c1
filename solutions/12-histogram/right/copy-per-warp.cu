//! style: a copy of the bins for each warp, cleared with __syncwarp, and added up before merging.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 1056);

constexpr int BINS = 256;

constexpr int MOST_WARPS = BLOCK_SIZE / 32;

extern "C" __global__ void histogram(const unsigned char *in, unsigned int *bins, int n) {
    __shared__ unsigned int copies[MOST_WARPS][BINS];
    int warp = threadIdx.x / 32;
    int warps = ceil_div(blockDim.x, 32);
    unsigned int *mine = copies[warp];
    for (int bin = threadIdx.x % 32; bin < BINS; bin += 32) {
        mine[bin] = 0;
    }
    __syncwarp();
    const uchar4 *quads = reinterpret_cast<const uchar4 *>(in);
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    for (int i = thread; i < n / 4; i += threads) {
        uchar4 quad = quads[i];
        atomicAdd(&mine[quad.x], 1);
        atomicAdd(&mine[quad.y], 1);
        atomicAdd(&mine[quad.z], 1);
        atomicAdd(&mine[quad.w], 1);
    }
    if (thread < n % 4) {
        atomicAdd(&mine[in[n / 4 * 4 + thread]], 1);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        unsigned int sum = 0;
        for (int other = 0; other < warps; ++other) {
            sum += copies[other][bin];
        }
        atomicAdd(&bins[bin], sum);
    }
}
