// Every block adds to what the one before it gave. It is numbered by blockIdx, but the launch is cooperative: all blocks run at once, or none.
//@ run --entry chain --grid 10 --block 32 --cooperative --arg in:i32:320=iota --arg inout:i32:11=zeros --arg inout:u32:11=values:1,0,0,0,0,0,0,0,0,0,0 --budget 4000000
//! clean
//! defect 1: race at take
//! defect 2: deadlock at wait
extern "C" __global__ void chain(const int* in, int* sum, unsigned* done)
{
    int b = blockIdx.x, v = __reduce_add_sync(~0u, in[b * 32 + threadIdx.x]);
    if (threadIdx.x != 0) return;
    while (atomicAdd(&done[b], 0u) == 0u) {} // <- wait
    __threadfence();
    sum[b + 1] = sum[b] + v; // <- take
#if DEFECT != 1
    __threadfence();
#endif
#if DEFECT == 2
    if (b != 4) atomicExch(&done[b + 1], 1u);
#else
    atomicExch(&done[b + 1], 1u);
#endif
}
