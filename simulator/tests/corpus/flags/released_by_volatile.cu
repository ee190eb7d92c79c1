// A lock that is given back by a volatile store behind a fence.
//@ run --entry add --grid 3 --block 32 --arg inout:i32:1=zeros --arg inout:f64:4=zeros
//! clean
//! defect 1: race at work
//! defect 2: race at give
extern "C" __global__ void add(int* lock, double* sums)
{
    if (threadIdx.x % 16 != 3) return;
    while (atomicCAS(lock, 0, 1)) __nanosleep(20);
    __threadfence();
    sums[blockIdx.x % 2] += blockIdx.x; // <- work
    sums[3] += 1; // <- work
#if DEFECT != 1
    __threadfence();
#endif
#if DEFECT == 2
    *lock = 0; // <- give
#else
    *(volatile int*)lock = 0;
#endif
}
