// Two counters packed into 64 bits. All of the threads must use the same width on them.
//@ run --entry count --grid 2 --block 32 --arg inout:u64:1=zeros
//! clean
//! defect 1: race at wide and narrow
extern "C" __global__ void count(unsigned long long* both)
{
    if (threadIdx.x % 2) {
        atomicAdd(both, 1ull << 32); // <- wide
    } else {
#if DEFECT
        atomicAdd((unsigned*)both, 1u); // <- narrow
#else
        atomicAdd(both, 1ull);
#endif
    }
}
