// A whole warp skips a barrier: no divergence inside any warp, still not every thread.
//@ run --entry warp_skips --grid 1 --block 64 --arg in:i32:64=small_ints.npy --arg out:i32:64
// expect: barrier_divergence error @ barrier

extern "C" __global__ void warp_skips(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    if (t < 32) {
        __syncthreads(); // <- barrier
    }
    out[t] = s[t] * 2;
}
