// Three-point smoothing over a shared tile; neighbours across warps need the barrier.
//@ run --entry smooth --grid 2 --block 96 --arg in:i32:192=iota --arg out:i32:192
//! clean
//! defect 1: race at store and load
extern "C" __global__ void smooth(const int* in, int* out)
{
    __shared__ int s[98];
    int t = threadIdx.x, i = blockIdx.x * 96 + t;
    s[t + 1] = in[i]; // <- store
    if (t == 0) s[0] = s[97] = 0;
#if !DEFECT
    __syncthreads();
#endif
    out[i] = s[t] + s[t + 1] + s[t + 2]; // <- load
}
