// Waiting for a while only, with something else to do meanwhile.
//@ run --entry impatient --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64 --budget 4000000
//! clean
//! defect 1: race at store and load
#include <cuda/barrier>
#pragma nv_diag_suppress static_var_with_dynamic_init
extern "C" __global__ void impatient(const int* in, int* out)
{
    __shared__ int s[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    int t = threadIdx.x, tries = 0;
    if (t == 0) init(&all, blockDim.x);
    __syncthreads();
    s[t] = in[t]; // <- store
    auto token = all.arrive();
    bool over = false;
    do {
        auto copy = token;
        over = all.try_wait_for(static_cast<decltype(copy)&&>(copy), cuda::std::chrono::microseconds(5));
        ++tries;
#if DEFECT
        if (tries == 1) break;
#endif
    } while (!over);
    out[t] = s[63 - t] + (tries < 0); // <- load
}
