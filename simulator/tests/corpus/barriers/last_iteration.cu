// A barrier that is left out in the last round, where it is needed as well.
//@ run --entry rounds --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at pass and final
extern "C" __global__ void rounds(const int* in, int* out)
{
    __shared__ int s[5][64];
    int t = threadIdx.x;
    s[0][t] = in[t];
    __syncthreads();
    for (int k = 1; k < 5; ++k) {
        s[k][t] = s[k - 1][(t + 1) % 64] + k; // <- pass
#if DEFECT
        if (k < 4) __syncthreads();
#else
        __syncthreads();
#endif
    }
    out[t] = s[4][63 - t]; // <- final
}
