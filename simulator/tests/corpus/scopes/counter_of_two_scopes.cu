// Blocks count with atomic_ref: of device scope all, or of block scope all.
//@ run --entry count --grid 3 --block 32 --arg inout:i32:1=zeros
//! clean
//! defect 1: race at add
#include <cuda/atomic>
extern "C" __global__ void count(int* n)
{
#if DEFECT
    cuda::atomic_ref<int, cuda::thread_scope_block> counter(*n);
#else
    cuda::atomic_ref<int, cuda::thread_scope_device> counter(*n);
#endif
    counter.fetch_add(1, cuda::memory_order_relaxed); // <- add
}
