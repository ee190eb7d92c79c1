// Between arriving and waiting a thread may do what concerns nobody else.
//@ run --entry between --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at store and early
//! defect 2: race at late and load
#include <cuda/barrier>
#pragma nv_diag_suppress static_var_with_dynamic_init
extern "C" __global__ void between(const int* in, int* out)
{
    __shared__ int s[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    int t = threadIdx.x, own = 0;
    if (t == 0) init(&all, blockDim.x);
    __syncthreads();
    s[t] = in[t]; // <- store
    auto token = all.arrive();
    own = in[t] * 3;
#if DEFECT == 1
    own += s[63 - t]; // <- early
#elif DEFECT == 2
    s[t] = own; // <- late
#endif
    all.wait(static_cast<decltype(token)&&>(token));
    out[t] = s[63 - t] + own; // <- load
}
