// The helper has the barrier, the caller the divergent condition: the barrier's line in the helper is where it happens.
//@ run --entry helper_barrier --grid 1 --block 64 --arg in:i32:64=small_ints.npy --arg out:i32:64
// expect: barrier_divergence error @ barrier|call

__device__ __noinline__ int exchange(int* s, int t, int v)
{
    s[t] = v;
    __syncthreads(); // <- barrier
    return s[t] + 1;
}

extern "C" __global__ void helper_barrier(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x, v = in[t];
    if (t % 3 != 0) {
        v = exchange(s, t, v); // <- call
    }
    out[t] = v;
}
