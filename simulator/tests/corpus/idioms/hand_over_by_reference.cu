// One block leaves a row and raises a flag through an atomic reference; the other waits for the flag.
//@ run --entry pass --grid 2 --block 32 --arg inout:i32:32=zeros --arg inout:i32:1=zeros --arg out:i32:32 --budget 2000000
//! clean
//! defect 1: race at put and get
//! defect 2: race at put and get
//! defect 3: race at put|raise and get|wait
//! defect 4: race at put and get
#include <cuda/atomic>
extern "C" __global__ void pass(int* row, int* flag, int* out)
{
#if DEFECT == 3
    cuda::atomic_ref<int, cuda::thread_scope_block> raised(*flag);
#else
    cuda::atomic_ref<int, cuda::thread_scope_device> raised(*flag);
#endif
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        row[t] = 100 + t; // <- put
#if DEFECT != 4
        __syncthreads();
#endif
        if (t == 0) {
#if DEFECT == 1
            raised.store(1, cuda::memory_order_relaxed);
#else
            raised.store(1, cuda::memory_order_release); // <- raise
#endif
            raised.notify_all();
        }
    } else {
        if (t == 0) {
#if DEFECT == 2
            raised.wait(0, cuda::memory_order_relaxed);
#else
            raised.wait(0, cuda::memory_order_acquire); // <- wait
#endif
        }
        __syncthreads();
        out[t] = row[31 - t]; // <- get
    }
}
//! label 2: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
