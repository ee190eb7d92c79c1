//@ run --entry count --grid 2 --block 32 --arg inout:i32:6=zeros
// Counters of several blocks, whose scope is the block's: each spelled in another way, and each advised in its own words.
#include <cuda/atomic>

extern "C" __global__ void count(int* counters)
{
    if (threadIdx.x != 0) return;
    atomicAdd_block(&counters[0], 1);
    cuda::atomic_ref<int, cuda::thread_scope_block>(counters[1]).fetch_add(1, cuda::memory_order_relaxed);
    asm volatile("red.relaxed.cta.global.add.s32 [%0], 1;" :: "l"(&counters[2]) : "memory");
    asm volatile("red.relaxed.cluster.global.add.s32 [%0], 1;" :: "l"(&counters[3]) : "memory");
    if (blockIdx.x == 0) {
        cuda::atomic_ref<int, cuda::thread_scope_device>(counters[4]).store(1, cuda::memory_order_relaxed);
    } else {
        int seen = cuda::atomic_ref<int, cuda::thread_scope_block>(counters[4]).load(cuda::memory_order_relaxed);
        counters[5] = 2 + seen;
    }
}
