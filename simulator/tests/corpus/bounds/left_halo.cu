// A stencil of radius two with its halo in shared memory; outside the array it is zero.
//@ run --entry stencil --grid 2 --block 32 --arg in:i32:64=iota --arg out:i32:64 --arg i32:64
//! clean
//! defect 1: out_of_bounds at left
//! defect 2: out_of_bounds at right
extern "C" __global__ void stencil(const int* in, int* out, int n)
{
    __shared__ int tile[36];
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    tile[t + 2] = in[i];
    if (t < 2) {
#if DEFECT == 1
        tile[t] = in[i - 2]; // <- left
#else
        tile[t] = i >= 2 ? in[i - 2] : 0;
#endif
#if DEFECT == 2
        tile[t + 34] = i + 32 <= n ? in[i + 32] : 0; // <- right
#else
        tile[t + 34] = i + 32 < n ? in[i + 32] : 0;
#endif
    }
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 5; ++k) sum += tile[t + k];
    out[i] = sum;
}
