// cuda::barrier in shared memory: arriving is not waiting.
//@ run --entry reverse --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at store and load
#include <cuda/barrier>
extern "C" __global__ void reverse(const int* in, int* out)
{
    __shared__ int s[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    int t = threadIdx.x;
    if (t == 0) init(&all, blockDim.x);
    __syncthreads();
    s[t] = in[t]; // <- store
#if DEFECT
    auto token = all.arrive();
    (void)token;
#else
    all.arrive_and_wait();
#endif
    out[t] = s[63 - t]; // <- load
}
