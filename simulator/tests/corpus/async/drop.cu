// Threads that leave early must say so to the barrier.
//@ run --entry leave --grid 1 --block 96 --arg in:i32:96=iota --arg out:i32:96 --budget 4000000
//! clean
//! defect 1: deadlock at wait
//! defect 2: race at store and load
#include <cuda/barrier>
#pragma nv_diag_suppress static_var_with_dynamic_init
extern "C" __global__ void leave(const int* in, int* out)
{
    __shared__ int s[96];
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    int t = threadIdx.x;
    if (t == 0) init(&all, blockDim.x);
    __syncthreads();
#if DEFECT == 2
    if (t >= 64) {
        all.arrive_and_drop();
        s[t] = in[t]; // <- store
        return;
    }
    s[t] = in[t];
#else
    s[t] = in[t];
    if (t >= 64) {
#if DEFECT != 1
        all.arrive_and_drop();
#endif
        return;
    }
#endif
    all.arrive_and_wait(); // <- wait
    int sum = s[95 - t]; // <- load
    for (int k = 0; k < 3; ++k) {
        all.arrive_and_wait();
        s[t] = sum;
        all.arrive_and_wait();
        sum += s[63 - t];
    }
    out[t] = sum;
}
