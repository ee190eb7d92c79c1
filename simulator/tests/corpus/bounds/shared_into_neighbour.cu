// Two shared arrays; a write one past the end of one lands in the other (or past both).
//@ run --entry two --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: out_of_bounds at write
extern "C" __global__ void two(const int* in, int* out)
{
    __shared__ int a[64];
    __shared__ int b[64];
    int t = threadIdx.x;
    a[t] = in[t];
    b[t] = -in[t];
    __syncthreads();
    if (t < 8) {
#if DEFECT
        a[57 + t] = 5; // <- write
#else
        a[56 + t] = 5;
#endif
    }
    __syncthreads();
    out[t] = a[t] + b[t];
}
