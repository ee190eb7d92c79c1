//! style: the fewest blocks allowed, each with many elements.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 32);
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
    for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += gridDim.x * BLOCK_SIZE) {
        mine += in[i];
    }
    int total = block_sum(mine);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = total;
        __threadfence();
        is_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (is_last) {
        mine = 0;
        for (int i = threadIdx.x; i < gridDim.x; i += BLOCK_SIZE) {
            mine += partials[i];
        }
        total = block_sum(mine);
        if (threadIdx.x == 0) {
            *out = total;
        }
    }
}
