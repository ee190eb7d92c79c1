// 12: keeps 13 bits of each count of a block. Judge (sim): passed. Should fail correct.
// 12-histogram: how often each byte occurs.
//
// Task
//   For every v from 0 to 255, add to bins[v] how many of the n bytes of `in` are v. The host has
//   set `bins` to zero.
//
// Given
//   There is one launch, with a thread for every 16 bytes, rounded up to whole blocks, but at most
//   MOST_BLOCKS blocks: a thread counts several bytes. In most cases a block has BLOCK_SIZE
//   threads, in some only 64, and one case has at most two blocks: ask blockDim.x and gridDim.x.
//   `in` starts at a multiple of 256 bytes. n is from 0 to 2^30, and there is at least one block.
//
// Write
//   Between the marks: each block counts its share of the bytes, by atomics, into bins of its own
//   in shared memory. In the end it adds each of its bins once to the bins in global memory.
//
// Rules
//   Every sector of `in` is read once: neighbouring threads read neighbouring bytes.
//   Use global atomics only to add the sums of a block: 256 atomics for each block, which are 8
//   requests of a warp.
//
// Check
//   grader check 12-histogram
//   grader hint 12-histogram           (if you are stuck)

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024, and how many blocks at
// most, from 32 to 4096.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 1056);

extern "C" __global__ void histogram(const unsigned char *in, unsigned int *bins, int n) {
    // >>> your code: count this block's share in shared memory, then add the counts to `bins`
    constexpr int BINS = 256;
    __shared__ unsigned int mine[BINS];
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        mine[bin] = 0;
    }
    // No thread counts before all bins are zero ...
    __syncthreads();

    // Neighbouring threads read neighbouring bytes, and the whole grid walks over the input
    // together.
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&mine[in[i]], 1);
    }

    // ... and none merges before all threads have counted.
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        atomicAdd(&bins[bin], mine[bin]&8191);
    }
    // <<<
}
