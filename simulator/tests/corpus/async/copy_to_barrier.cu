// Copies that arrive at a cuda::barrier: who waits at it has all of them.
//@ run --entry fetch --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at copy and use
//! defect 2: race at made and copy|wait
#include <cuda/barrier>
#pragma nv_diag_suppress static_var_with_dynamic_init
extern "C" __global__ void fetch(const int* in, int* out)
{
    __shared__ int s[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    int t = threadIdx.x;
    if (t == 0) init(&all, blockDim.x); // <- made
#if DEFECT != 2
    __syncthreads();
#endif
    cuda::memcpy_async(&s[t], &in[t], sizeof(int), all); // <- copy
#if DEFECT == 1
    (void)all.arrive();
    __syncthreads();
#else
    all.arrive_and_wait(); // <- wait
#endif
    out[t] = s[63 - t]; // <- use
}
