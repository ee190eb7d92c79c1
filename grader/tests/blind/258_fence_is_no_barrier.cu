// __threadfence_block where a barrier is needed: a fence orders, it doesn't wait.
//@ run --entry fence_no_barrier --grid 1 --block 64 --arg in:i32:64=small_ints.npy --arg out:i32:64
// expect: race error shared @ write read
// allow: uninitialized_read error @ read

extern "C" __global__ void fence_no_barrier(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t]; // <- write
    __threadfence_block();
    out[t] = s[63 - t]; // <- read
}
