// Every thread writes the value that is there already; another reads it. The result is right in any order, and the access is a race all the same.
//@ run --entry rewrite --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at write and read
//! defect 2: race note at again
extern "C" __global__ void rewrite(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
#if DEFECT == 1
    s[t] = in[t]; // <- write
#elif DEFECT == 2
    if (t % 2) s[0] = 0; // <- again
    __syncthreads();
#endif
    out[t] = s[63 - t]; // <- read
}
