// A cuda::barrier made for one thread more than there are.
//@ run --entry reverse --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64 --budget 2000000
//! clean
//! defect 1: deadlock at wait
#include <cuda/barrier>
extern "C" __global__ void reverse(const int* in, int* out)
{
    __shared__ int s[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    int t = threadIdx.x;
#if DEFECT
    if (t == 0) init(&all, blockDim.x + 1);
#else
    if (t == 0) init(&all, blockDim.x);
#endif
    __syncthreads();
    s[t] = in[t];
    all.arrive_and_wait(); // <- wait
    out[t] = s[63 - t];
}
