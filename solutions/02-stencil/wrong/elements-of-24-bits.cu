//! fails: correct
//! why: elements are ints of 32 bits, and the kernel keeps only 24; small elements do not show
//! this.

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

    // Place 0 of the tile is element first - radius of the array. The tile has more places than the
    // block has threads, so each thread loads several: the halo needs no code of its own.
    for (int place = threadIdx.x; place < OUTPUTS + 2 * radius; place += BLOCK_SIZE) {
        int i = first - radius + place;
        // The upper 8 bits become copies of the sign.
        tile[place] = i >= 0 && i < n ? in[i] << 8 >> 8 : 0;
    }
    __syncthreads();

    for (int place = threadIdx.x; place < OUTPUTS && first + place < n; place += BLOCK_SIZE) {
        // The window of element first + place has 2 * radius + 1 places, from here on.
        int sum = 0;
        for (int offset = 0; offset <= 2 * radius; ++offset) {
            sum += tile[place + offset];
        }
        out[first + place] = sum;
    }
}
