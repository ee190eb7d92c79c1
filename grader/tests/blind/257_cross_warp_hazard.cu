// __syncwarp where __syncthreads is needed: the neighbour sits in another warp.
//@ run --entry wrong_sync --grid 1 --block 64 --arg in:i32:64=small_ints.npy --arg out:i32:64
// expect: race error shared @ write read
// allow: uninitialized_read error @ read

extern "C" __global__ void wrong_sync(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t]; // <- write
    __syncwarp();
    out[t] = s[(t + 1) % 64]; // <- read
}
