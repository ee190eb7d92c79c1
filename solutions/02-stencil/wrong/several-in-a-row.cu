//! fails: shared_bank_conflicts, global_store_sectors
//! why: the outputs of a thread are neighbours, so the lanes of a warp are four words apart: four
//! lanes meet in a bank, and each store touches four times as many sectors.

#include "course.cuh"

// Yours to choose: BLOCK_SIZE a multiple of 32 from 64 to 512, OUTPUTS_PER_THREAD from 1 to 16.
// Start with one output for each thread.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(OUTPUTS_PER_THREAD, 4);

constexpr int MAX_RADIUS = 64;

extern "C" __global__ void stencil(const int *in, int *out, int n, int radius) {
    constexpr int OUTPUTS = BLOCK_SIZE * OUTPUTS_PER_THREAD;
    __shared__ int tile[OUTPUTS + 2 * MAX_RADIUS];
    int first = blockIdx.x * OUTPUTS;

    for (int place = threadIdx.x; place < OUTPUTS + 2 * radius; place += BLOCK_SIZE) {
        int i = first - radius + place;
        tile[place] = i >= 0 && i < n ? in[i] : 0;
    }
    __syncthreads();

    int mine = threadIdx.x * OUTPUTS_PER_THREAD;
    for (int place = mine; place < mine + OUTPUTS_PER_THREAD && first + place < n; ++place) {
        int sum = 0;
        for (int offset = 0; offset <= 2 * radius; ++offset) {
            sum += tile[place + offset];
        }
        out[first + place] = sum;
    }
}
