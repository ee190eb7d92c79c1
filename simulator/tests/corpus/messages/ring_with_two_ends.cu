// One block fills a ring, another empties it: head and tail are atomics of libcu++ with release and acquire.
//@ run --entry ring --grid 2 --block 32 --arg inout:i32:8=zeros --arg inout:u32:1=zeros --arg inout:u32:1=zeros --arg out:i32:40 --budget 4000000
//! clean
//! defect 1: race at push and pop
//! defect 2: race at push and pop
//! defect 3: race at pop and push
//! defect 4: deadlock at room|items
#include <cuda/atomic>
using End = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
extern "C" __global__ void ring(int* slot, unsigned* head, unsigned* tail, int* out)
{
    if (threadIdx.x != 0) return;
    End first(*head), last(*tail);
    if (blockIdx.x == 0) {
        for (unsigned k = 0; k < 40; ++k) {
#if DEFECT == 3
            while (k - first.load(cuda::memory_order_acquire) > 8) {} // <- room
#else
            while (k - first.load(cuda::memory_order_acquire) == 8) {} // <- room
#endif
            slot[k % 8] = k * k; // <- push
#if DEFECT == 1
            last.store(k + 1, cuda::memory_order_relaxed);
#elif DEFECT == 4
            if (k != 20) last.store(k, cuda::memory_order_release);
#else
            last.store(k + 1, cuda::memory_order_release);
#endif
        }
    } else {
        for (unsigned k = 0; k < 40; ++k) {
            while (last.load(cuda::memory_order_acquire) <= k) {} // <- items
#if DEFECT == 2
            first.store(k + 1, cuda::memory_order_release);
            out[k] = slot[k % 8]; // <- pop
#else
            out[k] = slot[k % 8]; // <- pop
            first.store(k + 1, cuda::memory_order_release);
#endif
        }
    }
}
