// 13-fences: a sum in one launch, finished by whichever block comes last.
//
// Task
//   *out = the sum of the n ints of `in`. Every block publishes the sum of its share in
//   partials[blockIdx.x] and then reports its arrival at the counter *arrived. The block that finds
//   that all others have arrived adds up the partials.
//
// Given
//   n is from 0 to 2^30. One launch for each sum: a thread for every int, rounded up to whole
//   blocks of BLOCK_SIZE threads, but at most MOST_BLOCKS blocks, and at least one. `partials` has
//   room for all of them. *arrived is 0 before the first launch; later launches use the same
//   counter, as it was left. block_sum is written already.
//
// Write
//   Between the marks. Nothing may wait for another block: more blocks than the GPU holds are
//   launched, and those that wait would keep out those they wait for.
//
// Rules
//   The block that reads a partial must be sure to see it: the judge looks at the order of accesses, not
//   only at the sum.
//   One global atomic for each block, no more and no fewer. Each sector of `in` is read once, and
//   all blocks share the work: in a round of all threads no thread takes more than 64 elements.
//
// Check
//   grader check 13-fences
//   grader hint 13-fences              (if you are stuck)

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024, and how many blocks at
// most, from 32 to 4096.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 2048);
// 0 is an ordinary launch, 1 a cooperative one (all blocks are resident, or it is refused).
LAUNCH_CONSTANT(WAY, 0);

// The sum of all threads' `mine`, in every thread. All threads of the block must call it.
__device__ __forceinline__ int block_sum(int mine) {
    __shared__ int data[BLOCK_SIZE];
    __syncthreads();
    data[threadIdx.x] = mine;
    __syncthreads();
    for (int left = BLOCK_SIZE; left > 1; left = ceil_div(left, 2)) {
        int other = threadIdx.x + ceil_div(left, 2);
        if (other < left) {
            data[threadIdx.x] += data[other];
        }
        __syncthreads();
    }
    return data[0];
}

extern "C" __global__ void sum(const int *in, int *partials, unsigned int *arrived, int *out,
                               int n) {
    // >>> your code: the sum of all n ints goes to *out
    // <<<
}
