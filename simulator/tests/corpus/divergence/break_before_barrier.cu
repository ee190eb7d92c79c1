// A thread that has found its value leaves the loop; the block's barrier in the loop misses it.
//@ run --entry find --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: barrier_divergence at inside|after; also=race
extern "C" __global__ void find(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x, found = -1;
    for (int k = 0; k < 4; ++k) {
        if (found < 0 && in[t] % 4 == k) found = k;
#if DEFECT
        if (found >= 0) break;
#endif
        s[t] = k;
        __syncthreads(); // <- inside
    }
    __syncthreads(); // <- after
    s[t] = found;
    __syncthreads();
    out[t] = s[63 - t];
}
//! label 1: named no consequence; accesses that only the broken barrier keeps apart race
