// 13: element 4k+1 through float. Judge: passed (sim). Should fail correct.
// 13-fences: a sum in one launch, finished by the block that comes last.
//
// Task
//   *out = the sum of the n ints of `in`. Every block publishes the sum of its share in
//   partials[blockIdx.x] and then reports its arrival at the counter *arrived. The block that finds
//   that all others have arrived adds up the partials.
//
// Given
//   n is from 0 to 2^30. Each sum is one launch, with a thread for every int, rounded up to whole
//   blocks of BLOCK_SIZE threads, but at most MOST_BLOCKS blocks, and at least one. `partials` has
//   room for all blocks. *arrived is 0 before the first launch; later launches find the counter as
//   the launch before left it. block_sum is written already.
//
// Write
//   Between the marks, write the kernel. No block may wait for another: the host launches more
//   blocks than the GPU holds, and waiting blocks would keep out the blocks that they wait for.
//
// Rules
//   The block that reads a partial must be sure to see it: the judge looks at the order of accesses, not
//   only at the sum.
//   Each block makes one global atomic, no more and no fewer. Each sector of `in` is read once, and
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
// 0 is an ordinary launch, 1 a cooperative one (all blocks are resident, or the launch is refused).
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
    __shared__ bool is_last;
    int mine = 0;
    for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += gridDim.x * BLOCK_SIZE) {
        mine += (i&3)==1 ? (int)(float)in[i] : in[i];
    }
    int total = block_sum(mine);

    if (threadIdx.x == 0) {
        partials[blockIdx.x] = total;
        // A block that sees this block's arrival must also see its partial ...
        __threadfence();
        // atomicInc counts from 0 to gridDim.x - 1 and then goes back to 0: ready for the next
        // launch.
        is_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
        // ... and a block that reads partials must do so after it has seen the arrivals.
        __threadfence();
    }
    __syncthreads();

    // Only one block of the grid gets here, and it waits for no other: all have arrived.
    if (is_last) {
        mine = 0;
        for (int block = threadIdx.x; block < gridDim.x; block += BLOCK_SIZE) {
            mine += partials[block];
        }
        total = block_sum(mine);
        if (threadIdx.x == 0) {
            *out = total;
        }
    }
    // <<<
}
