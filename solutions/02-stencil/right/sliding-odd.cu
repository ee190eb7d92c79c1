//! style: each thread slides over an odd number of neighbours; results go out through the tile.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 64);
LAUNCH_CONSTANT(OUTPUTS_PER_THREAD, 15);

constexpr int MAX_RADIUS = 64;
constexpr int OUTPUTS = BLOCK_SIZE * OUTPUTS_PER_THREAD;

extern "C" __global__ void stencil(const int *in, int *out, int n, int radius) {
    __shared__ int tile[OUTPUTS + 2 * MAX_RADIUS];
    const int first = blockIdx.x * OUTPUTS;
    for (int place = threadIdx.x; place < OUTPUTS + 2 * radius; place += BLOCK_SIZE) {
        int i = first - radius + place;
        tile[place] = 0 <= i && i < n ? in[i] : 0;
    }
    __syncthreads();

    const int *window = &tile[threadIdx.x * OUTPUTS_PER_THREAD];
    int sums[OUTPUTS_PER_THREAD];
    int sum = 0;
    for (int place = 0; place < 2 * radius; ++place) {
        sum += window[place];
    }
#pragma unroll
    for (int output = 0; output < OUTPUTS_PER_THREAD; ++output) {
        sum += window[output + 2 * radius];
        sums[output] = sum;
        sum -= window[output];
    }
    __syncthreads();

#pragma unroll
    for (int output = 0; output < OUTPUTS_PER_THREAD; ++output) {
        tile[threadIdx.x * OUTPUTS_PER_THREAD + output] = sums[output];
    }
    __syncthreads();
    for (int place = threadIdx.x; place < OUTPUTS && first + place < n; place += BLOCK_SIZE) {
        out[first + place] = tile[place];
    }
}
