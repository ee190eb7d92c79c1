// Step 4, expert: now the first window costs few reads, too. Each thread sums one chunk of the
// tile, for all threads. A window consists of whole chunks and a few single elements, so the time
// hardly depends on the radius any more.

#include "course.cuh"

// Yours to choose: BLOCK_SIZE a multiple of 32 from 64 to 512, OUTPUTS_PER_THREAD from 1 to 16.
// Start with one output for each thread.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(OUTPUTS_PER_THREAD, 7);

constexpr int MAX_RADIUS = 64;

extern "C" __global__ void stencil(const int *in, int *out, int n, int radius) {
    constexpr int OUTPUTS = BLOCK_SIZE * OUTPUTS_PER_THREAD;
    __shared__ int tile[OUTPUTS + 2 * MAX_RADIUS];
    __shared__ int chunks[BLOCK_SIZE + 2 * MAX_RADIUS / OUTPUTS_PER_THREAD];
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

    // Each thread keeps its own chunk of the tile in registers and shares the chunk's sum.
    // OUTPUTS_PER_THREAD is odd, so the lanes of a warp are an odd stride apart and meet in no
    // bank.
    int mine = thread * OUTPUTS_PER_THREAD;
    int leaving[OUTPUTS_PER_THREAD];
    int sum = 0;
    #pragma unroll
    for (int item = 0; item < OUTPUTS_PER_THREAD; ++item) {
        leaving[item] = tile[mine + item];
        sum += leaving[item];
    }
    chunks[thread] = sum;
    int whole_chunks = (OUTPUTS + 2 * radius) / OUTPUTS_PER_THREAD;
    for (int chunk = BLOCK_SIZE + thread; chunk < whole_chunks; chunk += BLOCK_SIZE) {
        sum = 0;
        for (int item = 0; item < OUTPUTS_PER_THREAD; ++item) {
            sum += tile[chunk * OUTPUTS_PER_THREAD + item];
        }
        chunks[chunk] = sum;
    }
    __syncthreads();

    // The first window consists of whole chunks and the elements left over.
    int whole = (2 * radius + 1) / OUTPUTS_PER_THREAD;
    sum = 0;
    for (int chunk = thread; chunk < thread + whole; ++chunk) {
        sum += chunks[chunk];
    }
    for (int place = mine + whole * OUTPUTS_PER_THREAD; place <= mine + 2 * radius; ++place) {
        sum += tile[place];
    }
    int sums[OUTPUTS_PER_THREAD];
    sums[0] = sum;
    #pragma unroll
    for (int item = 1; item < OUTPUTS_PER_THREAD; ++item) {
        sum += tile[mine + item + 2 * radius] - leaving[item - 1];
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
