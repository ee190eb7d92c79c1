// A shuffle stands between writing and reading shared memory; it exchanges registers and orders no memory.
//@ run --entry shuffle_as_fence --grid 1 --block 32 --arg in:i32:32=small_ints.npy --arg out:i32:32
// expect: race error shared @ write read
// allow: uninitialized_read error @ read

extern "C" __global__ void shuffle_as_fence(const int* in, int* out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t]; // <- write
    int other = __shfl_xor_sync(0xffffffffu, in[t], 1);
    out[t] = other + s[31 - t]; // <- read
}
