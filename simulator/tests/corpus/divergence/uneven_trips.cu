// Loads 100 values in a loop with a barrier: the first 36 threads go round twice, the others once.
//@ run --entry load --grid 1 --block 64 --arg in:i32:100=iota --arg out:i32:100 --arg i32:100
//! clean
//! defect 1: barrier_divergence at inside|after
extern "C" __global__ void load(const int* in, int* out, int n)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    for (int i = t; i < n; i += 64) {
        s[i] = in[i];
#if DEFECT
        __syncthreads(); // <- inside
#endif
    }
    __syncthreads(); // <- after
    for (int i = t; i < n; i += 64) out[i] = s[n - 1 - i];
}
