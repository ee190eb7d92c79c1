//! fails: correct
//! why: element i lies at place i - first + radius of the tile; without the radius every window is
//! shifted to the left.

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

    for (int place = threadIdx.x; place < OUTPUTS + 2 * radius; place += BLOCK_SIZE) {
        int i = first - radius + place;
        tile[place] = i >= 0 && i < n ? in[i] : 0;
    }
    __syncthreads();

    for (int place = threadIdx.x; place < OUTPUTS && first + place < n; place += BLOCK_SIZE) {
        int sum = 0;
        for (int offset = 0; offset <= 2 * radius; ++offset) {
            sum += tile[max(place + offset - radius, 0)];
        }
        out[first + place] = sum;
    }
}
