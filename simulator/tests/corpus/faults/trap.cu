// A checked conversion that traps.
//@ run --entry narrow --grid 1 --block 64 --arg in:i32:64=iota --arg out:u8:64 --arg i32:4
//! clean
//! defect 1: trap at trap; arg2=i32:5
__device__ unsigned char checked(int v)
{
    if (v > 255) {
        __trap(); // <- trap
    }
    return v;
}
extern "C" __global__ void narrow(const int* in, unsigned char* out, int factor)
{
    out[threadIdx.x] = checked(in[threadIdx.x] * factor);
}
