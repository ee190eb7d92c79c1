// Two stores to one place by one thread with another's read of the place next to it between them.
//@ run --entry twice --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at second and read
extern "C" __global__ void twice(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = -1;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[(t + 1) % 64]; // <- read
#if DEFECT == 1
    s[t] = in[t] + 0 * out[t]; // <- second
#else
    if (t > 64) s[t] = in[t];
#endif
}
