// Two calls of one helper race with each other: both places are in the helper.
//@ run --entry helper_race --grid 1 --block 64 --arg in:i32:64=small_ints.npy --arg out:i32:64
// expect: race error shared @ write read
// allow: uninitialized_read error @ read

__device__ __noinline__ int rotate(int* s, int t, int v)
{
    s[t] = v; // <- write
    return s[(t + 33) % 64]; // <- read
}

extern "C" __global__ void helper_race(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    int v = rotate(s, t, in[t]);
    __syncthreads();
    out[t] = rotate(s, t, v);
}
