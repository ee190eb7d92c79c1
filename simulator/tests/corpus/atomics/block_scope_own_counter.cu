// Block scope is enough for a counter that one block uses; a second block that adds to it needs more.
//@ run --entry count --grid 2 --block 64 --arg inout:i32:2=zeros
//! clean
//! defect 1: race at own and other
extern "C" __global__ void count(int* n)
{
    atomicAdd_block(&n[blockIdx.x], 1); // <- own
#if DEFECT
    if (threadIdx.x == 0 && blockIdx.x == 1) {
        atomicAdd(&n[0], 100); // <- other
    }
#endif
}
