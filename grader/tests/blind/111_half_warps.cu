// The halves of a warp take different branches, each with masks that name exactly the lanes that are there.
//@ run --entry half_warps --grid 1 --block 64 --arg in:i32:64=small_ints.npy --arg out:i32:64
// save: 1
// reference: half_warps

extern "C" __global__ void half_warps(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x, lane = t % 32, v = in[t];
    if (lane < 16) {
        s[t] = v;
        __syncwarp(0x0000ffff);
        v += s[t ^ 1];
        v += __shfl_xor_sync(0x0000ffff, v, 8);
    } else {
        v -= __shfl_sync(0xffff0000, v, 16);
        s[t] = v;
        __syncwarp(0xffff0000);
        v ^= s[t ^ 2];
    }
    out[t] = v;
}
