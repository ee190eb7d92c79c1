// A path out of the critical section that forgets to unlock.
//@ run --entry work --grid 1 --block 32 --arg in:i32:32=iota --arg inout:i32:1=zeros --arg inout:i32:1=zeros --budget 2000000
//! clean
//! defect 1: deadlock at take
extern "C" __global__ void work(const int* in, int* lock, int* sum)
{
    int v = in[threadIdx.x];
    while (atomicCAS(lock, 0, 1) != 0) {} // <- take
    __threadfence();
    if (*sum > 100) {
#if !DEFECT
        atomicExch(lock, 0);
#endif
        return;
    }
    *sum += v;
    __threadfence();
    atomicExch(lock, 0);
}
