// A lock in global memory: taken with device scope it excludes other blocks, with block scope only threads of the own one.
//@ run --entry guarded --grid 3 --block 32 --arg inout:i32:1=zeros --arg inout:i32:1=zeros
//! clean
//! defect 1: race at take|give|work; also=deadlock
extern "C" __global__ void guarded(int* lock, int* total)
{
    if (threadIdx.x != 0) return;
#if DEFECT
    while (atomicCAS_block(lock, 0, 1) != 0) {} // <- take
#else
    while (atomicCAS(lock, 0, 1) != 0) {}
#endif
    __threadfence();
    *total += 1; // <- work
    __threadfence();
#if DEFECT
    atomicExch_block(lock, 0); // <- give
#else
    atomicExch(lock, 0);
#endif
}
