// A barrier in a branch that no thread takes does no harm; one that some take does.
//@ run --entry dead --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: barrier_divergence at rare|common
extern "C" __global__ void dead(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x, v = in[t];
    s[t] = v;
#if DEFECT == 1
    if (v > 62) __syncthreads(); // <- rare
#else
    if (v > 63) __syncthreads(); // <- rare
#endif
    __syncthreads(); // <- common
    out[t] = s[t ^ 32];
}
