// Two blocks tell each other something: each tells first and then listens, or each listens first.
//@ run --entry tell --grid 2 --block 32 --arg inout:i32:2=zeros --arg inout:i32:2=zeros --arg out:i32:2 --budget 2000000
//! clean
//! defect 1: deadlock at listen
extern "C" __global__ void tell(int* flag, int* value, int* out)
{
    if (threadIdx.x != 0) return;
    int me = blockIdx.x, other = 1 - me;
#if !DEFECT
    value[me] = me + 10;
    __threadfence();
    atomicExch(&flag[me], 1);
#endif
    while (atomicAdd(&flag[other], 0) == 0) {} // <- listen
    __threadfence();
    out[me] = value[other];
#if DEFECT
    value[me] = me + 10;
    __threadfence();
    atomicExch(&flag[me], 1);
#endif
}
