// Two-byte numbers in a stream of bytes with a header of an odd length.
//@ run --entry decode --grid 1 --block 32 --arg in:u8:80=iota --arg out:i32:32 --arg i32:2
//! clean
//! defect 1: misaligned at read; arg2=i32:3
extern "C" __global__ void decode(const unsigned char* in, int* out, int header)
{
    out[threadIdx.x] = *(const unsigned short*)(in + header + 2 * threadIdx.x); // <- read
}
