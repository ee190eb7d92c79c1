// Two buffers that the host allocated one after the other.
//@ run --entry sum --grid 1 --block 64 --arg in:i32:64=iota --arg in:i32:64=ones --arg out:i32:64
//! clean
//! defect 1: out_of_bounds at load
//! defect 2: out_of_bounds at far
extern "C" __global__ void sum(const int* a, const int* b, int* out)
{
    int t = threadIdx.x;
#if DEFECT == 1
    int v = a[t + 1]; // <- load
#else
    int v = a[t];
#endif
#if DEFECT == 2
    int w = b[t - 64]; // <- far
#else
    int w = b[t];
#endif
    out[t] = v + w;
}
