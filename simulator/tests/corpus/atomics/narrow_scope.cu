// A global counter counted by several blocks. An atomic of block scope is atomic within a block only.
//@ run --entry count --grid 4 --block 32 --arg in:i32:128=iota --arg inout:i32:1=zeros
//! clean
//! defect 1: race at add
extern "C" __global__ void count(const int* in, int* n)
{
    if (in[blockIdx.x * 32 + threadIdx.x] & 1) {
#if DEFECT
        atomicAdd_block(n, 1); // <- add
#else
        atomicAdd(n, 1);
#endif
    }
}
