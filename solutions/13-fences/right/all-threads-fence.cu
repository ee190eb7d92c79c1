//! style: every thread makes the fence, as in the programming guide; a class for the arrival.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 512);
LAUNCH_CONSTANT(MOST_BLOCKS, 2048);
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

// Counts the blocks that have arrived; the next launch finds the counter as this one did.
class Arrivals {
  public:
    __device__ explicit Arrivals(unsigned int *count) : count_(count) {}
    // True for the block that comes last. All threads must call it.
    __device__ bool last() const {
        __shared__ bool is_last;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            is_last = atomicInc(count_, gridDim.x - 1) == gridDim.x - 1;
            __threadfence();
        }
        __syncthreads();
        return is_last;
    }

  private:
    unsigned int *count_;
};

__device__ int share(const int *numbers, int count, int first, int step) {
    int sum = 0;
    for (int i = first; i < count; i += step) {
        sum += numbers[i];
    }
    return sum;
}

extern "C" __global__ void sum(const int *in, int *partials, unsigned int *arrived, int *out,
                               int n) {
    Arrivals arrivals(arrived);
    int total =
        block_sum(share(in, n, blockIdx.x * BLOCK_SIZE + threadIdx.x, gridDim.x * BLOCK_SIZE));
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = total;
    }
    if (arrivals.last()) {
        total = block_sum(share(partials, gridDim.x, threadIdx.x, BLOCK_SIZE));
        if (threadIdx.x == 0) {
            *out = total;
        }
    }
}
