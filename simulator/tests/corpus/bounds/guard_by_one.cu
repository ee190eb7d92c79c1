// Element-wise copy whose length is no multiple of the block.
//@ run --entry copy --grid 2 --block 64 --arg in:i32:100=iota --arg out:i32:100 --arg i32:100
//! clean
//! defect 1: out_of_bounds at access
extern "C" __global__ void copy(const int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if DEFECT
    if (i <= n) {
#else
    if (i < n) {
#endif
        out[i] = in[i]; // <- access
    }
}
