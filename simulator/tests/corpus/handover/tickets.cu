// Work is served in the order of tickets; the next number is called by an atomic, behind a fence.
//@ run --entry serve --grid 4 --block 32 --arg inout:u32:2=zeros --arg inout:i32:8=zeros --arg out:i32:4
//! clean
//! defect 1: race at append
//! defect 2: race at draw
//! defect 3: race at append
//! defect 4: deadlock at wait
//! defect 5: race at call and wait
extern "C" __global__ void serve(unsigned* counters, int* log, int* out)
{
    if (threadIdx.x != 0) return;
#if DEFECT == 2
    unsigned mine = counters[0]++; // <- draw
#else
    unsigned mine = atomicAdd(&counters[0], 1);
#endif
    while (atomicAdd(&counters[1], 0) < mine) {} // <- wait
    __threadfence();
    int at = log[7];
    log[at] = blockIdx.x; // <- append
    log[7] = at + 1; // <- append
#if DEFECT == 3
    __threadfence_block();
#elif DEFECT != 1
    __threadfence();
#endif
#if DEFECT == 4
    if (mine != 1) atomicAdd(&counters[1], 1);
#elif DEFECT == 5
    counters[1] = mine + 1; // <- call
#else
    atomicAdd(&counters[1], 1); // <- call
#endif
    out[mine] = at;
}
