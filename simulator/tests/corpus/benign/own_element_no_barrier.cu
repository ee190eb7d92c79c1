// Everything a thread reads it wrote itself: no barrier needed. The neighbour's element needs one.
//@ run --entry own --grid 1 --block 128 --arg in:i32:128=iota --arg out:i32:128
//! clean
//! defect 1: race at store and load
extern "C" __global__ void own(const int* in, int* out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t]; // <- store
#if DEFECT
    out[t] = s[t ^ 64] + s[t]; // <- load
#else
    out[t] = s[t] + s[t];
#endif
}
