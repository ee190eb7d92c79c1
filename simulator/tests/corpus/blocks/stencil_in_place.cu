// A stencil over several blocks, into another array or in place.
//@ run --entry blur --grid 2 --block 64 --arg inout:i32:128=iota --arg out:i32:128
//! clean
//! defect 1: race at read and write
extern "C" __global__ void blur(int* a, int* b)
{
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    int left = i > 0 ? a[i - 1] : 0; // <- read
    int own = a[i];
    __syncthreads();
#if DEFECT
    a[i] = left + own; // <- write
#else
    b[i] = left + own;
#endif
}
