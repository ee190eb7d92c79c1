// A 64-bit atomic on an address that is a multiple of four only.
//@ run --entry add --grid 1 --block 32 --arg inout:u32:8=zeros --arg i32:2
//! clean
//! defect 1: misaligned at add; arg1=i32:3
extern "C" __global__ void add(unsigned* words, int at)
{
    atomicAdd((unsigned long long*)(words + at), 5ull); // <- add
}
