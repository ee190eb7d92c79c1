// A block of 40: __syncwarp and full masks in a last warp of eight threads name lanes that never existed; that is allowed.
//@ run --entry partial_warp --grid 1 --block 40 --arg in:i32:40=small_ints.npy --arg out:i32:40
// save: 1
// reference: partial_warp

extern "C" __global__ void partial_warp(const int* in, int* out)
{
    __shared__ int s[40];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp();
    int v = s[t ^ 7];
    __syncwarp();
    s[t] = v * 2;
    __syncthreads();
    out[t] = s[39 - t] + v;
}
