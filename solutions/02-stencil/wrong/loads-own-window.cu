//! fails: global_load_sectors
//! why: each thread loads its whole window into the tile, the same words as its neighbours, so the
//! tile saves nothing.

#include "course.cuh"

// Yours to choose: BLOCK_SIZE a multiple of 32 from 64 to 512, OUTPUTS_PER_THREAD from 1 to 16.
// Start with one output for each thread.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(OUTPUTS_PER_THREAD, 1);

constexpr int MAX_RADIUS = 64;

extern "C" __global__ void stencil(const int *in, int *out, int n, int radius) {
    constexpr int OUTPUTS = BLOCK_SIZE * OUTPUTS_PER_THREAD;
    __shared__ int tile[OUTPUTS + 2 * MAX_RADIUS];
    int first = blockIdx.x * OUTPUTS;

    for (int item = threadIdx.x; item < OUTPUTS; item += BLOCK_SIZE) {
        for (int offset = 0; offset <= 2 * radius; ++offset) {
            int i = first - radius + item + offset;
            tile[item + offset] = i >= 0 && i < n ? in[i] : 0;
        }
    }
    __syncthreads();

    for (int place = threadIdx.x; place < OUTPUTS && first + place < n; place += BLOCK_SIZE) {
        int sum = 0;
        for (int offset = 0; offset <= 2 * radius; ++offset) {
            sum += tile[place + offset];
        }
        out[first + place] = sum;
    }
}
