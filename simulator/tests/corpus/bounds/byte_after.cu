// A buffer of 100 bytes: the byte behind it is padding of the allocator, and still not the kernel's.
//@ run --entry bytes --grid 1 --block 128 --arg inout:u8:100=zeros --arg i32:100
//! clean
//! defect 1: out_of_bounds at write
extern "C" __global__ void bytes(unsigned char* out, int n)
{
    int t = threadIdx.x;
#if DEFECT
    if (t < n + 1) {
#else
    if (t < n) {
#endif
        out[t] = t; // <- write
    }
}
