// A tile is read before the other warps have written it: the barrier after the load is missing.
//@ run --entry reversed --grid 2 --block 128 --arg in:i32:256=small_ints.npy --arg out:i32:256
// expect: race error shared @ write read
// allow: uninitialized_read error @ read

extern "C" __global__ void reversed(const int* in, int* out)
{
    __shared__ int tile[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    tile[t] = in[i]; // <- write
    out[i] = tile[127 - t]; // <- read
}
