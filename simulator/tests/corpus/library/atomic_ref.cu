// cuda::atomic_ref with release and acquire, or with what is too weak or too narrow.
//@ run --entry hand_over --grid 2 --block 32 --arg inout:i32:1=zeros --arg inout:i32:1=zeros --arg out:i32:1
//! clean
//! defect 1: race at publish and consume
//! defect 2: race at publish and consume
//! defect 3: race at publish and consume
#include <cuda/atomic>
extern "C" __global__ void hand_over(int* data, int* flag, int* out)
{
    if (threadIdx.x != 0) return;
#if DEFECT == 3
    cuda::atomic_ref<int, cuda::thread_scope_block> f(*flag);
#else
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
#endif
    if (blockIdx.x == 0) {
        *data = 42; // <- publish
#if DEFECT == 1
        f.store(1, cuda::memory_order_relaxed);
#else
        f.store(1, cuda::memory_order_release);
#endif
    } else {
#if DEFECT == 2
        while (f.load(cuda::memory_order_relaxed) == 0) {}
#else
        while (f.load(cuda::memory_order_acquire) == 0) {}
#endif
        *out = *data + 1; // <- consume
    }
}
//! label 2: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
