//! fails: correct, clean/barrier_divergence, clean/race, clean/uninitialized_read, global_store_sectors
//! why: only the threads that load the halo reach the barrier; the others go on without waiting. A
//! warp whose lanes part here stores in two requests.

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

    for (int place = threadIdx.x; place < OUTPUTS; place += BLOCK_SIZE) {
        int i = first + place;
        tile[radius + place] = i < n ? in[i] : 0;
    }
    if (threadIdx.x < radius) {
        int left = first - radius + threadIdx.x;
        int right = first + OUTPUTS + threadIdx.x;
        tile[threadIdx.x] = left >= 0 && left < n ? in[left] : 0;
        tile[radius + OUTPUTS + threadIdx.x] = right < n ? in[right] : 0;
        __syncthreads();
    }

    for (int place = threadIdx.x; place < OUTPUTS && first + place < n; place += BLOCK_SIZE) {
        int sum = 0;
        for (int offset = 0; offset <= 2 * radius; ++offset) {
            sum += tile[place + offset];
        }
        out[first + place] = sum;
    }
}
