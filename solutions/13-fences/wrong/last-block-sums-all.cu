//! fails: busiest_block_load_sectors
//! why: the last block to arrive sums up everything. The other blocks only report their arrival, so
//! no fence is needed.

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
    if (threadIdx.x == 0) {
        is_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) {
        int mine = 0;
        for (int i = threadIdx.x; i < n; i += BLOCK_SIZE) {
            mine += in[i];
        }
        int total = block_sum(mine);
        if (threadIdx.x == 0) {
            *out = total;
        }
    }
    // <<<
}
