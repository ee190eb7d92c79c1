//! fails: correct
//! why: each thread takes one int; where there are more ints than threads, no thread takes the
//! rest.

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024, and how many blocks at
// most, up to 4096.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 2048);
// 0 is one launch, which the goals ask for. For comparison, 1 is one cooperative launch (all blocks
// are resident, or it is refused), and 2 is two launches: the second has one block, and gets
// `partials` as `in` and `out` as `partials`.
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
    __shared__ bool is_last;
    int mine = 0;
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (i < n) {
        mine = in[i];
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
}
