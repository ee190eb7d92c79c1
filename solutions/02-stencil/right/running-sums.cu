//! style: a window's sum as the difference of two running sums of the tile, scanned by warps.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 512);
LAUNCH_CONSTANT(OUTPUTS_PER_THREAD, 4);

constexpr int MAX_RADIUS = 64;
constexpr int WARP = 32;
constexpr int WARPS = BLOCK_SIZE / WARP;
constexpr int OUTPUTS = BLOCK_SIZE * OUTPUTS_PER_THREAD;
constexpr int PLACES = OUTPUTS + 2 * MAX_RADIUS;
constexpr int CHUNK = ceil_div(ceil_div(PLACES, WARPS), WARP) * WARP;

// Sums and their differences wrap around, which is well defined for unsigned numbers.
__device__ unsigned inclusive_scan(unsigned value, int lane) {
    for (int distance = 1; distance < WARP; distance *= 2) {
        unsigned left = __shfl_up_sync(0xffffffff, value, distance);
        if (lane >= distance) {
            value += left;
        }
    }
    return value;
}

extern "C" __global__ void stencil(const int *in, int *out, int n, int radius) {
    // before[p] is the sum of the tile's places before p.
    __shared__ unsigned before[WARPS * CHUNK + 1];
    __shared__ unsigned sum_of_warp[WARPS];
    int warp = threadIdx.x / WARP;
    int lane = threadIdx.x % WARP;
    int first = blockIdx.x * OUTPUTS;
    int places = OUTPUTS + 2 * radius;

    unsigned sum = 0;
    for (int place = warp * CHUNK + lane; place < (warp + 1) * CHUNK; place += WARP) {
        int i = first - radius + place;
        unsigned element = place < places && 0 <= i && i < n ? in[i] : 0;
        unsigned scanned = inclusive_scan(element, lane) + sum;
        before[place + 1] = scanned;
        sum = __shfl_sync(0xffffffff, scanned, WARP - 1);
    }
    if (lane == 0) {
        sum_of_warp[warp] = sum;
    }
    if (threadIdx.x == 0) {
        before[0] = 0;
    }
    __syncthreads();

    if (warp == 0) {
        unsigned mine = lane < WARPS ? sum_of_warp[lane] : 0;
        unsigned scanned = inclusive_scan(mine, lane);
        if (lane < WARPS) {
            sum_of_warp[lane] = scanned - mine;
        }
    }
    __syncthreads();

    auto prefix = [&](int place) {
        unsigned of_warps = place > 0 ? sum_of_warp[(place - 1) / CHUNK] : 0;
        return before[place] + of_warps;
    };
    for (int output = threadIdx.x; output < OUTPUTS && first + output < n; output += BLOCK_SIZE) {
        out[first + output] = static_cast<int>(prefix(output + 2 * radius + 1) - prefix(output));
    }
}
