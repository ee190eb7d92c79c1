// A helper locks again what its caller has locked.
//@ run --entry outer --grid 2 --block 32 --arg inout:i32:1=zeros --arg inout:i32:1=zeros --budget 2000000
//! clean
//! defect 1: deadlock at spin
__device__ void take(int* lock)
{
    while (atomicCAS(lock, 0, 1) != 0) {} // <- spin
    __threadfence();
}
__device__ void give(int* lock)
{
    __threadfence();
    atomicExch(lock, 0);
}
__device__ void add(int* lock, int* n, int by)
{
#if DEFECT
    take(lock);
#endif
    *n += by;
#if DEFECT
    give(lock);
#endif
}
extern "C" __global__ void outer(int* lock, int* n)
{
    if (threadIdx.x != 0) return;
    take(lock);
    add(lock, n, blockIdx.x + 1);
    give(lock);
}
