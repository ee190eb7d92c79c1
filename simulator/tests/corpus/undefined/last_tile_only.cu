// All tiles of a long row are full, except the last.
//@ run --entry sums --grid 1 --block 32 --arg in:i32:500=iota --arg out:i32:32 --arg i32:500
//! clean
//! defect 1: uninitialized_read|race at add|store
extern "C" __global__ void sums(const int* in, int* out, int n)
{
    __shared__ int tile[16][32];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 16; ++k) {
        int i = k * 32 + t;
#if DEFECT
        if (i < n) tile[k][t] = in[i];
#else
        tile[k][t] = i < n ? in[i] : 0;
#endif
        __syncthreads();
        sum += tile[k][31 - t]; // <- add
    }
    out[t] = sum; // <- store
}
