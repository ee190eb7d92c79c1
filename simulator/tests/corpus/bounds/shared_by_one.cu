// The right neighbour in a shared tile that is the only shared variable.
//@ run --entry neighbours --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: out_of_bounds at read
extern "C" __global__ void neighbours(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
#if DEFECT
    out[t] = s[t] + s[t + 1]; // <- read
#else
    out[t] = s[t] + s[t == 63 ? 0 : t + 1];
#endif
}
