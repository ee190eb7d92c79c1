//! style: the barrier passes on whether the block is last: __syncthreads_or in place of a shared
//! word.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 128);
LAUNCH_CONSTANT(MOST_BLOCKS, 512);
LAUNCH_CONSTANT(WAY, 0);

// The sum of all threads' `mine`, in every thread. All threads of the block must call it.
__device__ __forceinline__ int block_sum(int mine) {
    __shared__ int of_warp[32];
    for (int distance = 16; distance > 0; distance /= 2) {
        mine += __shfl_xor_sync(0xffffffff, mine, distance);
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        of_warp[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    int sum = 0;
    for (int warp = 0; warp < BLOCK_SIZE / 32; ++warp) {
        sum += of_warp[warp];
    }
    return sum;
}

extern "C" __global__ void sum(const int *in, int *partials, unsigned int *arrived, int *out,
                               int n) {
    int mine = 0;
    for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += gridDim.x * BLOCK_SIZE) {
        mine += in[i];
    }
    int total = block_sum(mine);
    bool last = false;
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = total;
        __threadfence();
        last = atomicAdd(arrived, 1u) == gridDim.x - 1;
        __threadfence();
    }
    if (__syncthreads_or(last)) {
        mine = 0;
        for (int i = threadIdx.x; i < gridDim.x; i += BLOCK_SIZE) {
            mine += __ldcg(&partials[i]);
        }
        total = block_sum(mine);
        if (last) {
            *out = total;
            *arrived = 0;
        }
    }
}
