//! style: fences of the C++ memory model around a relaxed atomic; shuffles for the block's sum.

#include <cuda/atomic>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 1024);
LAUNCH_CONSTANT(MOST_BLOCKS, 4096);
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
    using Counter = cuda::atomic_ref<unsigned int, cuda::thread_scope_device>;
    __shared__ bool is_last;
    int mine = 0;
    for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += gridDim.x * BLOCK_SIZE) {
        mine += in[i];
    }
    int total = block_sum(mine);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = total;
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
        unsigned before = Counter(*arrived).fetch_add(1, cuda::memory_order_relaxed);
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        is_last = before == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) {
        return;
    }
    mine = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += BLOCK_SIZE) {
        mine += partials[i];
    }
    total = block_sum(mine);
    if (threadIdx.x == 0) {
        *arrived = 0;
        *out = total;
    }
}
