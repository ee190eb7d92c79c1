// Private bins, then merged. Only the last two of the values share a bin, across two warps.
//@ run --entry histogram --grid 1 --block 64 --arg in:i32:64=iota --arg inout:i32:64=zeros
//! clean
//! defect 1: race at bin
extern "C" __global__ void histogram(const int* in, int* bins)
{
    __shared__ int mine[64];
    int t = threadIdx.x;
    mine[t] = 0;
    __syncthreads();
    int bin = in[t] == 63 ? 0 : in[t];
#if DEFECT
    ++mine[bin]; // <- bin
#else
    atomicAdd(&mine[bin], 1);
#endif
    __syncthreads();
    atomicAdd(&bins[t], mine[t]);
}
