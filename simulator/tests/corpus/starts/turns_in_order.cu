// Blocks write into one output in turn, each where the one before it stopped. By ticket the turns are safe; by blockIdx they trust the order of launch.
//@ run --entry turns --grid 5 --block 32 --arg in:i32:160=iota --arg inout:u32:1=zeros --arg inout:u32:1=zeros --arg inout:i32:1=zeros --arg out:i32:160 --budget 4000000
//! clean
//! defect 1: deadlock warning at turn
//! defect 2: race at place
//! defect 3: race at place
extern "C" __global__ void turns(const int* in, unsigned* ticket, unsigned* turn, int* used, int* out)
{
    __shared__ int number, base;
    int t = threadIdx.x;
#if DEFECT == 1
    if (t == 0) number = blockIdx.x;
#else
    if (t == 0) number = atomicAdd(ticket, 1u);
#endif
    __syncwarp();
    int v = in[number * 32 + t];
    unsigned keep = __ballot_sync(~0u, v % 3 != 0);
    if (t == 0) {
        while (*(volatile unsigned*)turn != number) {} // <- turn
#if DEFECT != 3
        __threadfence();
#endif
        base = *used; // <- place
        *used = base + __popc(keep); // <- place
#if DEFECT != 2
        __threadfence();
#endif
        *(volatile unsigned*)turn = number + 1;
    }
    __syncwarp();
    if (v % 3 != 0) out[base + __popc(keep & (1u << t) - 1)] = v;
}
//! label 3: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
