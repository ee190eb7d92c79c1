//! fails: correct
//! why: writes to its input, and puts the values back before it ends. Another kernel that reads the
//! input at the same time would see them.

constexpr int BLOCK_SIZE = 256;
constexpr int WEIGHTS = 64;

// Patient 1. out[i] = in[i] * weights[i % WEIGHTS]. The table is small, so its elements are loaded
// once for each block.
extern "C" __global__ void weigh(const int *in, const int *weights, int *out, int n) {
    __shared__ int table[WEIGHTS];
    int thread = threadIdx.x;
    int i = blockIdx.x * BLOCK_SIZE + thread;
    // >>> repair
    if (thread < WEIGHTS) {
        table[thread] = weights[thread];
    }
    // Outside the branch: threads that loaded nothing wait for the threads that did.
    __syncthreads();
    if (i < n) {
        out[i] = in[i] * table[i % WEIGHTS];
    }
    // <<<
}

// Patient 2. counts[row] = how many elements of a row are greater than the element before them.
// Each row has `width` elements and a block of its own, which goes along the row, BLOCK_SIZE
// elements at a time.
extern "C" __global__ void count_rises(const int *in, int *counts, int width) {
    __shared__ int tile[BLOCK_SIZE];
    int thread = threadIdx.x;
    const int *row = in + blockIdx.x * width;
    int rises = 0;
    // >>> repair
    // Every thread makes the same number of rounds; what it does in the last round depends on
    // whether it has an element.
    for (int first = 0; first < width; first += BLOCK_SIZE) {
        int i = first + thread;
        if (i < width) {
            tile[thread] = row[i];
        }
        __syncthreads();
        if (i < width) {
            int before = thread > 0 ? tile[thread - 1] : row[max(i - 1, 0)];
            if (tile[thread] > before) {
                ++rises;
            }
        }
        __syncthreads();
    }
    // <<<
    tile[thread] = rises;
    __syncthreads();
    if (thread == 0) {
        int sum = 0;
        for (int other = 0; other < BLOCK_SIZE; ++other) {
            sum += tile[other];
        }
        counts[blockIdx.x] = sum;
    }
}

// Patient 3. Reverses each run of BLOCK_SIZE elements; the last run has the elements that are left.
// A block takes every gridDim.x-th run.
extern "C" __global__ void reverse_runs(const int *in, int *out, int n) {
    __shared__ int tile[BLOCK_SIZE];
    int thread = threadIdx.x;
    for (int first = blockIdx.x * BLOCK_SIZE; first < n; first += gridDim.x * BLOCK_SIZE) {
        int count = min(BLOCK_SIZE, n - first);
        // >>> repair
        if (thread < count) {
            tile[thread] = in[first + thread];
            ((volatile int *)in)[first + thread] = 7;
            ((volatile int *)in)[first + thread] = tile[thread];
        }
        __syncthreads();
        if (thread < count) {
            out[first + thread] = tile[count - 1 - thread];
        }
        // The next round overwrites what other threads may still be reading.
        __syncthreads();
        // <<<
    }
}

// Patient 4. out[w] = the sum of 32 neighbouring elements, one sum for each warp. A lane without an
// element counts as 0.
extern "C" __global__ void warp_sums(const int *in, int *out, int n) {
    __shared__ int data[BLOCK_SIZE];
    int thread = threadIdx.x;
    int lane = thread % 32;
    int i = blockIdx.x * BLOCK_SIZE + thread;
    // >>> repair
    data[thread] = i < n ? in[i] : 0;
    // Lanes are not in lockstep: each round reads what other lanes wrote in the round before.
    __syncwarp();
    for (int distance = 16; distance > 0; distance /= 2) {
        if (lane < distance) {
            data[thread] += data[thread + distance];
        }
        __syncwarp();
    }
    // <<<
    if (lane == 0 && i < n) {
        out[i / 32] = data[thread];
    }
}
