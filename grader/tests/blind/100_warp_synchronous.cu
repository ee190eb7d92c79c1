// Looks like warp luck, is not: every step of the warp's tree separates reading from writing by __syncwarp.
//@ run --entry warp_tree --grid 2 --block 64 --arg in:i32:128=small_ints.npy --arg out:i32:4
// save: 1
// reference: warp_sums

extern "C" __global__ void warp_tree(const int* in, int* out)
{
    __shared__ int s[2][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = blockIdx.x * 64 + threadIdx.x;
    s[warp][lane] = in[i];
    __syncwarp();
    for (int offset = 16; offset > 0; offset /= 2) {
        int v = lane + offset < 32 ? s[warp][lane + offset] : 0;
        __syncwarp();
        s[warp][lane] += v;
        __syncwarp();
    }
    if (lane == 0) out[i / 32] = s[warp][0];
}
