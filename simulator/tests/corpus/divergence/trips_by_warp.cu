// Each warp makes one round more than the one before it.
//@ run --entry stairs --grid 1 --block 96 --arg in:i32:96=iota --arg out:i32:96
//! clean
//! defect 1: barrier_divergence at inside|after
extern "C" __global__ void stairs(const int* in, int* out)
{
    __shared__ int s[96];
    int t = threadIdx.x, v = in[t];
#if DEFECT
    int rounds = t / 32 + 1;
#else
    int rounds = 3;
#endif
    for (int k = 0; k < rounds; ++k) {
        s[t] = v;
        __syncthreads(); // <- inside
        if (k < t / 32 + 1) v += s[t];
    }
    __syncthreads(); // <- after
    s[t] = v;
    __syncthreads();
    out[t] = s[95 - t];
}
