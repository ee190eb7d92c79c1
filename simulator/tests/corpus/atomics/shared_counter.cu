// Counts the multiples of three of a block in shared memory.
//@ run --entry count --grid 1 --block 96 --arg in:i32:96=iota --arg out:i32:1
//! clean
//! defect 1: race at add
extern "C" __global__ void count(const int* in, int* out)
{
    __shared__ int n;
    int t = threadIdx.x;
    if (t == 0) n = 0;
    __syncthreads();
    if (in[t] % 3 == 0) {
#if DEFECT
        n = n + 1; // <- add
#else
        atomicAdd(&n, 1);
#endif
    }
    __syncthreads();
    if (t == 0) *out = n;
}
