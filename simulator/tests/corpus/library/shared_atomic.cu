// A cuda::atomic of block scope in shared memory.
//@ run --entry count --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:1
//! clean
//! defect 1: race at plain
#include <cuda/atomic>
extern "C" __global__ void count(const int* in, int* out)
{
    __shared__ int n;
    int t = threadIdx.x;
    if (t == 0) n = 0;
    __syncthreads();
    cuda::atomic_ref<int, cuda::thread_scope_block> counter(n);
    if (in[t] % 2) counter.fetch_add(1, cuda::memory_order_relaxed);
#if DEFECT
    if (t == 50) {
        n += 100; // <- plain
    }
#endif
    __syncthreads();
    if (t == 0) *out = n;
}
