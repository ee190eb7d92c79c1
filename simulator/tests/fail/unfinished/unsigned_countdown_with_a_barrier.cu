//@ run --entry tree --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:1
// The stride of a tree is halved until it is 0, and stays 0: an unsigned number is never below it.
extern "C" __global__ void tree(const int* in, int* out)
{
    __shared__ int sums[64];
    sums[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (unsigned stride = 32; stride >= 0; stride /= 2) {
        if (threadIdx.x < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[0] = sums[0];
}
