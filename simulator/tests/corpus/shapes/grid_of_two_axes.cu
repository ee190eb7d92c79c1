// Blocks of a 2-D grid write their own row of results; the number of the block forgets one axis.
//@ run --entry results --grid 3,2 --block 32 --arg out:i32:192
//! clean
//! defect 1: race at write
extern "C" __global__ void results(int* out)
{
#if DEFECT
    int block = blockIdx.x + blockIdx.y;
#else
    int block = blockIdx.x + 3 * blockIdx.y;
#endif
    out[block * 32 + threadIdx.x] = blockIdx.y * 1000 + threadIdx.x; // <- write
}
