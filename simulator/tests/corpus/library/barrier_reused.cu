// A cuda::barrier in shared memory separates writing from reading, twice in a loop.
//@ run --entry rounds --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at put and get
#include <cuda/barrier>
extern "C" __global__ void rounds(const int* in, int* out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> meet;
    __shared__ int s[64];
    int t = threadIdx.x, v = in[t];
    if (t == 0) init(&meet, 64);
    __syncthreads();
    for (int k = 0; k < 3; ++k) {
        s[t] = v; // <- put
        meet.arrive_and_wait();
        v += s[63 - t]; // <- get
#if !DEFECT
        meet.arrive_and_wait();
#endif
    }
    out[t] = v;
}
