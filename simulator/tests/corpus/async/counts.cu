// A barrier's count is the number of arrivals of a phase, no more and no less.
//@ run --entry counts --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64 --budget 4000000
//! clean
//! defect 1: race at store and load
//! defect 2: barrier_divergence at arrive
//! defect 3: uninitialized_read at arrive|wait
//! defect 4: barrier_divergence at made; also=deadlock
#include <cuda/barrier>
#pragma nv_diag_suppress static_var_with_dynamic_init
extern "C" __global__ void counts(const int* in, int* out)
{
    __shared__ int s[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    int t = threadIdx.x;
#if DEFECT == 1
    if (t == 0) init(&all, blockDim.x / 2);
#elif DEFECT == 4
    if (t == 0) init(&all, 0); // <- made
#elif DEFECT != 3
    if (t == 0) init(&all, blockDim.x);
#endif
    __syncthreads();
    s[t] = in[t]; // <- store
#if DEFECT == 2
    all.wait(all.arrive(t == 63 ? 2 : 1)); // <- arrive
#else
    all.wait(all.arrive()); // <- wait
#endif
    out[t] = s[63 - t]; // <- load
}
