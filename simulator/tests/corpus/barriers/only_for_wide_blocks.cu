// Trusts that a block is one warp: right at 32 threads, a race at 64.
//@ run --entry shift --grid 1 --block 32 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at store and load; --block 64
extern "C" __global__ void shift(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x, n = blockDim.x;
    s[t] = in[t]; // <- store
    __syncwarp();
    out[t] = s[(t + 1) % n]; // <- load
}
