// A record that is read while it may change: an odd version says that it changes; readers try again. Its words are relaxed atomics.
//@ run --entry record --grid 3 --block 32 --arg inout:u32:1=zeros --arg inout:i32:2=zeros --arg out:i32:6 --budget 6000000
//! clean
//! defect 1: race at change and look
//! defect 2: race at change and look
//! defect 3: deadlock|unfinished at again
#include <cuda/atomic>
using Word = cuda::atomic_ref<int, cuda::thread_scope_device>;
using Version = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
extern "C" __global__ void record(unsigned* version, int* pair, int* out)
{
    if (threadIdx.x != 0) return;
    Version v(*version);
    Word a(pair[0]), b(pair[1]);
    if (blockIdx.x == 0) {
        for (int k = 1; k <= 5; ++k) {
            v.store(2 * k - 1, cuda::memory_order_relaxed);
            cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
#if DEFECT == 1
            pair[0] = k; // <- change
            pair[1] = 10 * k; // <- change
#else
            a.store(k, cuda::memory_order_relaxed); // <- change
            b.store(10 * k, cuda::memory_order_relaxed); // <- change
#endif
#if DEFECT == 3
            if (k < 5) v.store(2 * k, cuda::memory_order_release);
#else
            v.store(2 * k, cuda::memory_order_release);
#endif
        }
    } else {
        int x, y;
        for (;;) { // <- again
            unsigned before = v.load(cuda::memory_order_acquire); // <- again
#if DEFECT == 2
            x = pair[0]; // <- look
            y = pair[1]; // <- look
#else
            x = a.load(cuda::memory_order_relaxed); // <- look
            y = b.load(cuda::memory_order_relaxed); // <- look
#endif
            cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
            unsigned after = v.load(cuda::memory_order_relaxed); // <- again
            if (before == after && before % 2 == 0) break; // <- again
        }
        out[blockIdx.x * 2] = x;
        out[blockIdx.x * 2 + 1] = y;
    }
}
