// The left neighbour by an unsigned index, which has none below zero.
//@ run --entry left --grid 2 --block 32 --arg in:u32:64=iota --arg out:u32:64
//! clean
//! defect 1: out_of_bounds at look
extern "C" __global__ void left(const unsigned* in, unsigned* out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#if DEFECT
    unsigned at = i - 1 >= 0 ? i - 1 : 0;
#else
    unsigned at = i >= 1 ? i - 1 : 0;
#endif
    out[i] = in[at]; // <- look
}
