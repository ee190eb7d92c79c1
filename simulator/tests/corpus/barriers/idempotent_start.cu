// Every thread zeroes the counter before the barrier (the same value: at most a note); without the barrier it races with the adds.
//@ run --entry count --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:1
//! clean
//! defect 1: race at start and add
extern "C" __global__ void count(const int* in, int* out)
{
    __shared__ int n;
    n = 0; // <- start
#if !DEFECT
    __syncthreads();
#endif
    if (in[threadIdx.x] % 5 == 0) {
        atomicAdd(&n, 1); // <- add
    }
    __syncthreads();
    if (threadIdx.x == 0) *out = n;
}
