// cuda::atomic_ref of block scope on shared memory, with release and acquire between warps of a block.
//@ run --entry objects --grid 2 --block 64 --arg in:i32:32=iota --arg out:i32:64
//! clean
//! defect 1: race at fill and drain
//! defect 2: race at fill and drain
//! defect 3: race at start; also=deadlock
#include <cuda/atomic>
extern "C" __global__ void objects(const int* in, int* out)
{
    __shared__ int data[32];
    __shared__ int ready;
    int t = threadIdx.x;
#if DEFECT == 3
    if (t == 40) ready = 0; // <- start
    __syncwarp();
#else
    if (t == 40) ready = 0;
    __syncthreads();
#endif
    cuda::atomic_ref<int, cuda::thread_scope_block> flag(ready);
    if (t < 32) {
        data[t] = in[t]; // <- fill
#if DEFECT == 1
        flag.fetch_add(1, cuda::memory_order_relaxed);
#else
        flag.fetch_add(1, cuda::memory_order_release);
#endif
    } else {
#if DEFECT == 2
        while (flag.load(cuda::memory_order_relaxed) != 32) {}
#else
        while (flag.load(cuda::memory_order_acquire) != 32) {}
#endif
        out[blockIdx.x * 32 + t - 32] = data[63 - t]; // <- drain
    }
}
//! label 2: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
