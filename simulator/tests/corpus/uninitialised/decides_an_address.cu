// A permutation with a hole: one entry was never written.
//@ run --entry gather --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: uninitialized_read at gather
extern "C" __global__ void gather(const int* in, int* out)
{
    __shared__ int place[32];
    int t = threadIdx.x;
#if DEFECT
    if (t != 17) place[(t * 5) % 32] = t;
#else
    place[(t * 5) % 32] = t;
#endif
    __syncthreads();
    out[t] = in[place[t]]; // <- gather
}
