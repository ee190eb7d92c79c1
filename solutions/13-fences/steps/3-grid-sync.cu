// Step 3: a third way. In a cooperative launch all blocks are resident, so they may wait for each
// other: grid.sync() is a barrier of the whole grid, with the fences built in. The kernel needs no
// counter, but the launch can have no more blocks than the GPU holds at once.

#include <cooperative_groups.h>

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024, and how many blocks at
// most, from 32 to 4096.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 128);
// 0 is an ordinary launch, 1 a cooperative one (all blocks are resident, or the launch is refused).
LAUNCH_CONSTANT(WAY, 1);

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
    // There are few threads: to keep memory busy, each must have many reads under way.
    constexpr int AT_ONCE = 16;
    int mine = 0;
    int stride = gridDim.x * BLOCK_SIZE;
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    for (; i < n - (AT_ONCE - 1) * stride; i += AT_ONCE * stride) {
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            mine += in[i + k * stride];
        }
    }
    for (; i < n; i += stride) {
        mine += in[i];
    }
    int total = block_sum(mine);

    if (threadIdx.x == 0) {
        partials[blockIdx.x] = total;
    }
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0) {
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
