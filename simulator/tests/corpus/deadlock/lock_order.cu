// Two lanes of one warp need both locks. Taken in the same order they come through, in opposite orders they wait for each other.
//@ run --entry both --grid 1 --block 2 --arg inout:i32:2=zeros --arg inout:i32:1=zeros --budget 2000000
//! clean
//! defect 1: deadlock at second
extern "C" __global__ void both(int* lock, int* n)
{
    int t = threadIdx.x;
#if DEFECT
    int a = t, b = 1 - t;
#else
    int a = 0, b = 1;
#endif
    while (atomicCAS(&lock[a], 0, 1) != 0) {}
    while (atomicCAS(&lock[b], 0, 1) != 0) {} // <- second
    __threadfence();
    *n += 1;
    __threadfence();
    atomicExch(&lock[b], 0);
    atomicExch(&lock[a], 0);
}
