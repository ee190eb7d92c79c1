// Two static arrays of a block; running past the end of one must not be taken for the other.
//@ run --entry two --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: out_of_bounds at read
//! defect 2: out_of_bounds at before
extern "C" __global__ void two(const int* in, int* out)
{
    __shared__ int a[32];
    __shared__ int b[32];
    int t = threadIdx.x;
    a[t] = in[t];
    b[t] = in[t] * 2;
    __syncthreads();
#if DEFECT == 1
    int v = a[t + 1]; // <- read
#else
    int v = a[(t + 1) % 32];
#endif
#if DEFECT == 2
    int w = b[t - 1]; // <- before
#else
    int w = b[(t + 31) % 32];
#endif
    out[t] = v + w;
}
