// Step 3, expert: each thread has an odd number of neighbouring outputs. For the first it sums the
// whole window; for every further output it adds the element that enters the window and subtracts
// the one that leaves: two reads, whatever the radius. (More outputs suit a large radius, fewer a
// small one.)

#include "course.cuh"

// Yours to choose: BLOCK_SIZE a multiple of 32 from 64 to 512, OUTPUTS_PER_THREAD from 1 to 16.
// Start with one output for each thread.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(OUTPUTS_PER_THREAD, 9);

constexpr int MAX_RADIUS = 64;

extern "C" __global__ void stencil(const int *in, int *out, int n, int radius) {
    constexpr int OUTPUTS = BLOCK_SIZE * OUTPUTS_PER_THREAD;
    __shared__ int tile[OUTPUTS + 2 * MAX_RADIUS];
    int first = blockIdx.x * OUTPUTS;
    int thread = threadIdx.x;

    // The loop is unrolled, so that the reads of all rounds are under way at the same time instead
    // of one after the other.
    int start = first - radius;
    if (start >= 0 && start + OUTPUTS <= n) {
        #pragma unroll
        for (int round = 0; round < OUTPUTS_PER_THREAD; ++round) {
            tile[round * BLOCK_SIZE + thread] = in[start + round * BLOCK_SIZE + thread];
        }
    } else {
        for (int place = thread; place < OUTPUTS; place += BLOCK_SIZE) {
            int i = start + place;
            tile[place] = i >= 0 && i < n ? in[i] : 0;
        }
    }
    // The rest of the tile begins at first + OUTPUTS - radius, which is never before the array.
    for (int place = OUTPUTS + thread; place < OUTPUTS + 2 * radius; place += BLOCK_SIZE) {
        int i = start + place;
        tile[place] = i < n ? in[i] : 0;
    }
    __syncthreads();

    // Neighbouring outputs of one thread share all of the window but its two ends.
    // OUTPUTS_PER_THREAD is odd, so the lanes of a warp are an odd stride apart and meet in no
    // bank.
    int mine = thread * OUTPUTS_PER_THREAD;
    int sums[OUTPUTS_PER_THREAD];
    int sum = 0;
    for (int offset = 0; offset <= 2 * radius; ++offset) {
        sum += tile[mine + offset];
    }
    sums[0] = sum;
    #pragma unroll
    for (int item = 1; item < OUTPUTS_PER_THREAD; ++item) {
        sum += tile[mine + item + 2 * radius] - tile[mine + item - 1];
        sums[item] = sum;
    }
    __syncthreads();

    // If a thread stored its sums from here, a warp would touch a sector for every lane. So the
    // sums go through the tile once more.
    #pragma unroll
    for (int item = 0; item < OUTPUTS_PER_THREAD; ++item) {
        tile[mine + item] = sums[item];
    }
    __syncthreads();
    #pragma unroll
    for (int round = 0; round < OUTPUTS_PER_THREAD; ++round) {
        int place = round * BLOCK_SIZE + thread;
        if (first + place < n) {
            out[first + place] = tile[place];
        }
    }
}
