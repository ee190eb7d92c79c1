// Every thread sets its own bit of a bit set of words in shared memory.
//@ run --entry bits --grid 1 --block 128 --arg in:i32:128=iota --arg out:u32:4
//! clean
//! defect 1: race at set
extern "C" __global__ void bits(const int* in, unsigned* out)
{
    __shared__ unsigned set[4];
    int t = threadIdx.x;
    if (t < 4) set[t] = 0;
    __syncthreads();
    int v = in[t] * 7 % 128;
#if DEFECT
    set[v / 32] |= 1u << v % 32; // <- set
#else
    atomicOr(&set[v / 32], 1u << v % 32);
#endif
    __syncthreads();
    if (t < 4) out[t] = set[t];
}
