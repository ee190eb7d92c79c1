// Bounds that are wrong only for sizes that are no multiple of the block's: the label is about the launch.
//@ run --entry scale --grid 2 --block 32 --arg in:i32:64=iota --arg out:i32:64 --arg i32:64
//! clean
//! defect 1: out_of_bounds at scale; --grid 3
//! defect 2: out_of_bounds at scale; --block 33
extern "C" __global__ void scale(const int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * n; // <- scale
}
