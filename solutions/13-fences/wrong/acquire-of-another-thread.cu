//! fails: clean/race
//! may fail: correct
//! why: one thread reads the counter, and another executes `fence.acq_rel` behind a barrier. Such a fence
//! acquires only what its own thread has read; `__threadfence()` would do.

#include <cuda/atomic>
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
        mine += in[i];
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
    }
    __syncthreads();
    if (threadIdx.x == 32) {
        cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
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
