// A ticket lock whose holder passes it on, except on one path.
//@ run --entry work --grid 4 --block 32 --arg inout:u32:1=zeros --arg inout:u32:1=zeros --arg inout:i32:1=zeros --budget 2000000
//! clean
//! defect 1: deadlock at wait
extern "C" __global__ void work(unsigned* next, unsigned* serving, int* sum)
{
    if (threadIdx.x != 0) return;
    unsigned mine = atomicAdd(next, 1);
    while (atomicAdd(serving, 0) != mine) {} // <- wait
    __threadfence();
    *sum += 5;
#if DEFECT
    if (*sum == 10) return;
#endif
    __threadfence();
    atomicAdd(serving, 1);
}
