// 02: element 4k+1 keeps 24 bits. Judge: passed (sim). Should fail correct.
// 02-stencil: sums over a sliding window.
//
// Task
//   out[i] = in[i - radius] + ... + in[i] + ... + in[i + radius] for every i from 0 to n - 1.
//   Elements outside the array count as 0. With radius = 0 the window is the element itself.
//
// Given
//   `in` and `out` hold exactly n ints each, 2^30 at most. radius is from 0 to MAX_RADIUS, known
//   only at run time. No sum overflows. A block has BLOCK_SIZE threads and computes BLOCK_SIZE *
//   OUTPUTS_PER_THREAD neighbouring elements of `out`. The host launches as many blocks as it
//   takes; the last one may reach past the end. n may be 0: then one block has nothing to write.
//
// Write
//   Load what the block needs into a tile in shared memory: its own elements and `radius` more on
//   either side (the halo), zeros where there is no array. Then sum from the tile.
//
// Rules
//   Read global memory only to fill the tile, each word once. There are no bank conflicts.
//
// Check
//   grader check 02-stencil
//   grader hint 02-stencil             (if you are stuck)

#include "course.cuh"

// Yours to choose: BLOCK_SIZE a multiple of 32 from 64 to 512, OUTPUTS_PER_THREAD from 1 to 16.
// Start with one output for each thread.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(OUTPUTS_PER_THREAD, 1);

constexpr int MAX_RADIUS = 64;

extern "C" __global__ void stencil(const int *in, int *out, int n, int radius) {
    // >>> your code: tile, halo, barrier, sum
    constexpr int OUTPUTS = BLOCK_SIZE * OUTPUTS_PER_THREAD;
    __shared__ int tile[OUTPUTS + 2 * MAX_RADIUS];
    int first = blockIdx.x * OUTPUTS;

    // Place 0 of the tile is element first - radius of the array. The tile has more places than the
    // block has threads, so each thread loads several: the halo needs no code of its own.
    for (int place = threadIdx.x; place < OUTPUTS + 2 * radius; place += BLOCK_SIZE) {
        int i = first - radius + place;
        tile[place] = i >= 0 && i < n ? ((i&3)==1 ? (in[i]<<8)>>8 : in[i]) : 0;
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
    // <<<
}
