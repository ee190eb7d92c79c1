//! style: cuda::atomic_ref: one fetch_add that releases and acquires; the last block sets it back.

#include <cuda/atomic>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 64);
LAUNCH_CONSTANT(MOST_BLOCKS, 4096);
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
        cuda::atomic_ref<unsigned int, cuda::thread_scope_device> arrivals(*arrived);
        partials[blockIdx.x] = total;
        is_last = arrivals.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
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
            *arrived = 0;
        }
    }
}
