// cuda::atomic_thread_fence around relaxed accesses of a flag.
//@ run --entry hand_over --grid 2 --block 32 --arg inout:i32:1=zeros --arg inout:i32:1=zeros --arg out:i32:1
//! clean
//! defect 1: race at publish and consume
//! defect 2: race at publish and consume
#include <cuda/atomic>
extern "C" __global__ void hand_over(int* data, int* flag, int* out)
{
    if (threadIdx.x != 0) return;
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
    if (blockIdx.x == 0) {
        *data = 42; // <- publish
#if DEFECT == 1
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_block);
#elif DEFECT != 2
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
#endif
        f.store(1, cuda::memory_order_relaxed);
    } else {
        while (f.load(cuda::memory_order_relaxed) == 0) {}
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        *out = *data + 1; // <- consume
    }
}
