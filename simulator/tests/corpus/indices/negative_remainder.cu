// A ring buffer in shared memory: the remainder of a negative number is negative.
//@ run --entry ring --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: out_of_bounds at ring
extern "C" __global__ void ring(const int* in, int* out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
#if DEFECT
    out[t] = s[(t - 5) % 32]; // <- ring
#else
    out[t] = s[(t - 5 + 32) % 32];
#endif
}
