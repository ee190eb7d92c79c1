// Every block writes a row of its own and reads the row above, which another block writes.
//@ run --entry rows --grid 4 --block 32 --arg inout:i32:5x32=zeros --arg out:i32:4x32
//! clean
//! defect 1: race at write and above
extern "C" __global__ void rows(int* a, int* out)
{
    int t = threadIdx.x, row = blockIdx.x;
    a[(row + 1) * 32 + t] = row * 32 + t; // <- write
#if DEFECT
    out[row * 32 + t] = a[row * 32 + t] + 1; // <- above
#else
    out[row * 32 + t] = a[(row + 1) * 32 + t] + 1;
#endif
}
