// A maximum that starts from what happens to be there.
//@ run --entry top --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:1
//! clean
//! defect 1: uninitialized_read at raise|store
extern "C" __global__ void top(const int* in, int* out)
{
    __shared__ int best;
    int t = threadIdx.x;
#if !DEFECT
    if (t == 0) best = -1;
#endif
    __syncthreads();
    atomicMax(&best, in[t]); // <- raise
    __syncthreads();
    if (t == 0) {
        *out = best; // <- store
    }
}
