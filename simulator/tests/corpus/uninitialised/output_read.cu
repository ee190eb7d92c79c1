// Adds to an output buffer, which starts with nothing in it.
//@ run --entry add --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: uninitialized_read at add
extern "C" __global__ void add(const int* in, int* out)
{
#if DEFECT
    out[threadIdx.x] += in[threadIdx.x]; // <- add
#else
    out[threadIdx.x] = in[threadIdx.x];
#endif
}
