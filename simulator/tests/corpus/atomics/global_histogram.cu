// A histogram whose bins are hit once by each block: within a block no two threads share a bin, between blocks all do.
//@ run --entry histogram --grid 4 --block 64 --arg in:i32:256=iota --arg inout:i32:64=zeros
//! clean
//! defect 1: race at bin
extern "C" __global__ void histogram(const int* in, int* bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int bin = in[i] % 64;
#if DEFECT
    bins[bin] += 1; // <- bin
#else
    atomicAdd(&bins[bin], 1);
#endif
}
