// The barrier hides in a helper that only one warp calls.
//@ run --entry use --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: barrier_divergence at barrier|call|end; also=race
__device__ __noinline__ int exchange(int* s, int v)
{
    s[threadIdx.x] = v;
    __syncthreads(); // <- barrier
    return s[threadIdx.x ^ 1];
}
extern "C" __global__ void use(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x, v = in[t];
#if DEFECT
    if (t < 32) {
        v = exchange(s, v); // <- call
    }
#else
    int other = exchange(s, v);
    if (t < 32) v = other;
#endif
    __syncthreads(); // <- end
    s[t] = v;
    __syncthreads();
    out[t] = s[63 - t];
}
//! label 1: named no consequence; accesses that only the broken barrier keeps apart race
