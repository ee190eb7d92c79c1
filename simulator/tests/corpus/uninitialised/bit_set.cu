// Bits are set by atomics in words that somebody must have cleared.
//@ run --entry bits --grid 1 --block 64 --arg in:i32:64=iota --arg out:u32:2
//! clean
//! defect 1: uninitialized_read at set|store
extern "C" __global__ void bits(const int* in, unsigned* out)
{
    __shared__ unsigned set[2];
    int t = threadIdx.x;
#if DEFECT
    if (t < 1) set[t] = 0;
#else
    if (t < 2) set[t] = 0;
#endif
    __syncthreads();
    if (in[t] % 3 == 1) {
        atomicOr(&set[t / 32], 1u << t % 32); // <- set
    }
    __syncthreads();
    if (t < 2) {
        out[t] = set[t]; // <- store
    }
}
