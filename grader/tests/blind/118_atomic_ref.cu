// libcu++ atomics: a releasing store and an acquiring load through cuda::atomic_ref order plain data between blocks.
//@ run --entry atomic_ref --grid 3 --block 32 --arg inout:i32:32=zeros --arg out:i32:2x32
// save: 1
// reference: atomic_ref

#include <cuda/atomic>

__device__ int flag;

extern "C" __global__ void atomic_ref(int* data, int* out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(flag);
    int t = threadIdx.x;
    if (blockIdx.x == 2) {
        data[t] = 3 * t + 1;
        __syncthreads();
        if (t == 0) ready.store(1, cuda::memory_order_release);
    } else {
        if (t == 0) {
            while (ready.load(cuda::memory_order_acquire) == 0) {}
        }
        __syncthreads();
        out[blockIdx.x * 32 + t] = data[t ^ 5];
    }
}
