//! style: int4 loads where the address allows; a seq_cst fetch_add, with orders left to their defaults.

#include <cuda/atomic>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 96);
LAUNCH_CONSTANT(MOST_BLOCKS, 1056);
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

constexpr int VECTOR = 4;

extern "C" __global__ void sum(const int *in, int *partials, unsigned int *arrived, int *out,
                               int n) {
    __shared__ unsigned int before;
    int thread = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    int threads = gridDim.x * BLOCK_SIZE;
    bool aligned = reinterpret_cast<size_t>(in) % sizeof(int4) == 0;
    int vectors = aligned ? n / VECTOR : 0;
    int mine = 0;
    for (int i = thread; i < vectors; i += threads) {
        int4 four = reinterpret_cast<const int4 *>(in)[i];
        mine += four.x + four.y + four.z + four.w;
    }
    for (int i = vectors * VECTOR + thread; i < n; i += threads) {
        mine += in[i];
    }
    int total = block_sum(mine);
    if (threadIdx.x == 0) {
        // The addition releases this: its order is the strictest of all.
        cuda::atomic_ref<int, cuda::thread_scope_device> partial(partials[blockIdx.x]);
        partial.store(total, cuda::memory_order_relaxed);
        cuda::atomic_ref<unsigned int, cuda::thread_scope_device> counter(*arrived);
        before = counter.fetch_add(1);
    }
    __syncthreads();
    if (before + 1 == gridDim.x) {
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
