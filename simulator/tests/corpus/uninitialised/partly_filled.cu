// A block longer than its data: the tile's rest is not filled, and must not be added up.
//@ run --entry sum --grid 1 --block 64 --arg in:i32:40=iota --arg out:i32:64 --arg i32:40
//! clean
//! defect 1: uninitialized_read at use|store
extern "C" __global__ void sum(const int* in, int* out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x;
#if DEFECT
    if (t < n) s[t] = in[t];
#else
    s[t] = t < n ? in[t] : 0;
#endif
    __syncthreads();
    int v = s[t] + s[63 - t]; // <- use
    out[t] = v; // <- store
}
