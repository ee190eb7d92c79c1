// A cuda::atomic_ref in global memory hands data from one block to another: store with release, load with acquire.
//@ run --entry hand_over --grid 2 --block 32 --arg inout:i32:4=zeros --arg inout:i32:1=zeros --arg out:i32:1
//! clean
//! defect 1: race at write and read
#include <cuda/atomic>
extern "C" __global__ void hand_over(int* data, int* flag, int* out)
{
    if (threadIdx.x != 0) return;
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) {
        for (int k = 0; k < 4; ++k) data[k] = k + 1; // <- write
#if DEFECT
        ready.store(1, cuda::memory_order_relaxed);
#else
        ready.store(1, cuda::memory_order_release);
#endif
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0) {}
        int sum = 0;
        for (int k = 0; k < 4; ++k) sum += data[k]; // <- read
        *out = sum;
    }
}
