// The last block has fewer elements than threads; its tree must know.
//@ run --entry sums --grid 3 --block 32 --arg in:i32:80=iota --arg out:i32:3 --arg i32:80
//! clean
//! defect 1: uninitialized_read at fold|write
//! defect 2: out_of_bounds at load
//! defect 3: out_of_bounds at fold; also=uninitialized_read
extern "C" __global__ void sums(const int* in, int* out, int n)
{
    __shared__ int s[32];
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
#if DEFECT == 1
    if (i < n) s[t] = in[i];
#elif DEFECT == 2
    s[t] = in[i]; // <- load
#else
    s[t] = i < n ? in[i] : 0;
#endif
    __syncthreads();
    for (int d = 16; d; d /= 2) {
        int v = 0;
#if DEFECT == 3
        v = s[t + d]; // <- fold
#else
        if (t < d) v = s[t + d]; // <- fold
#endif
        __syncthreads();
        if (t < d) s[t] += v; // <- fold
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0]; // <- write
}
