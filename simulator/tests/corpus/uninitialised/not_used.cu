// A value read where nothing was written, and thrown away: no defect. Using one of them is.
//@ run --entry shift --grid 1 --block 64 --arg in:i32:50=iota --arg out:i32:64 --arg i32:50
//! clean
//! defect 1: uninitialized_read at load|store
extern "C" __global__ void shift(const int* in, int* out, int n)
{
    __shared__ int s[65];
    int t = threadIdx.x;
    if (t < n) s[t] = in[t];
    __syncthreads();
    int v = s[t + 1]; // <- load
#if DEFECT
    if (t > n - 1) v = 0;
#else
    if (t >= n - 1) v = 0;
#endif
    out[t] = v; // <- store
}
