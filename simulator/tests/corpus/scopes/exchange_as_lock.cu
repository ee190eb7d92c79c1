// A lock by atomic exchange with acquire and release orders; the release is relaxed in the defect.
//@ run --entry add --grid 3 --block 32 --arg inout:i32:1=zeros --arg inout:i32:1=zeros
//! clean
//! defect 1: race at work
//! defect 2: race at work
#include <cuda/atomic>
extern "C" __global__ void add(int* lock, int* sum)
{
    if (threadIdx.x != 0) return;
    cuda::atomic_ref<int, cuda::thread_scope_device> l(*lock);
#if DEFECT == 2
    while (l.exchange(1, cuda::memory_order_relaxed) != 0) {}
#else
    while (l.exchange(1, cuda::memory_order_acquire) != 0) {}
#endif
    *sum += blockIdx.x + 1; // <- work
#if DEFECT == 1
    l.store(0, cuda::memory_order_relaxed);
#else
    l.store(0, cuda::memory_order_release);
#endif
}
//! label 2: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
