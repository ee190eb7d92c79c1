// One thread of each block adds under a lock: CAS, fence, work, fence, exchange.
//@ run --entry add --grid 4 --block 32 --arg inout:i32:1=zeros --arg inout:i32:1=zeros
//! clean
//! defect 1: race at work
//! defect 2: race at work
//! defect 3: race at work
extern "C" __global__ void add(int* lock, int* total)
{
    if (threadIdx.x != 0) return;
#if DEFECT == 3
    while (*(volatile int*)lock != 0) {}
    *(volatile int*)lock = 1;
#else
    while (atomicCAS(lock, 0, 1) != 0) {}
#endif
#if DEFECT != 2
    __threadfence();
#endif
    *total += blockIdx.x + 1; // <- work
#if DEFECT != 1
    __threadfence();
#endif
    atomicExch(lock, 0);
}
//! label 2: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
