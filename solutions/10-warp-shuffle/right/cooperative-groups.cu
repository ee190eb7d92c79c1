//! style: cooperative groups for ranks and barrier; rounds that halve whatever number of lanes there is.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ int warp_sum(int value, int lanes) {
    unsigned mask = 0xffffffff >> (32 - lanes);
    unsigned lane = cg::this_thread_block().thread_rank() % 32;
    for (unsigned left = lanes; left > 1;) {
        unsigned half = (left + 1) / 2;
        int other = __shfl_down_sync(mask, value, half);
        if (lane + half < left) {
            value += other;
        }
        left = half;
    }
    return value;
}

extern "C" __global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sums[32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int warps = (blockDim.x + 31) / 32;
    int i = cg::this_grid().thread_rank();
    int sum = warp_sum(i < n ? in[i] : 0, min(32, blockDim.x - 32 * warp));
    if (lane == 0) {
        sums[warp] = sum;
    }
    cg::this_thread_block().sync();
    if (warp == 0) {
        int lanes = min(32, blockDim.x);
        sum = warp_sum(lane < warps ? sums[lane] : 0, lanes);
        if (lane == 0) {
            out[blockIdx.x] = sum;
        }
    }
}
