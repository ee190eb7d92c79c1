// A loop that fills a shared array in whole rounds only: the tail of 100 values in rounds of 32 stays as it is.
//@ run --entry fill --grid 1 --block 32 --arg in:i32:100=iota --arg out:i32:100
//! clean
//! defect 1: uninitialized_read at load
extern "C" __global__ void fill(const int* in, int* out)
{
    __shared__ int s[100];
    int t = threadIdx.x;
#if DEFECT
    for (int k = 0; k < 100 / 32; ++k) s[k * 32 + t] = in[k * 32 + t];
#else
    for (int k = t; k < 100; k += 32) s[k] = in[k];
#endif
    __syncthreads();
    for (int k = t; k < 100; k += 32) {
        out[k] = s[99 - k]; // <- load
    }
}
