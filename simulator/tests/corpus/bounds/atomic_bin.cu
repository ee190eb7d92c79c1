// A histogram of values up to and including 16 in 16 bins.
//@ run --entry histogram --grid 1 --block 64 --arg in:i32:64=iota --arg inout:i32:16=zeros
//! clean
//! defect 1: out_of_bounds at bin
//! defect 2: out_of_bounds at shared
extern "C" __global__ void histogram(const int* in, int* bins)
{
    __shared__ int mine[16];
    int t = threadIdx.x, v = in[t];
    if (t < 16) mine[t] = 0;
    __syncthreads();
#if DEFECT == 2
    atomicAdd(&mine[v % 17], 1); // <- shared
#else
    atomicAdd(&mine[v % 16], 1);
#endif
    __syncthreads();
#if DEFECT == 1
    if (t < 17) {
        atomicAdd(&bins[t], t < 16 ? mine[t] : 1); // <- bin
    }
#else
    if (t < 16) {
        atomicAdd(&bins[t], mine[t]);
    }
#endif
}
