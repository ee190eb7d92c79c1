// Whoever takes the branch aggregates: __activemask tells who happens to be here, and a warp may come in parts.
//@ run --entry take --grid 1 --block 32 --arg in:i32:32=iota --arg inout:i32:1=zeros --arg out:i32:32
//! clean
//! defect 1: race at slot
extern "C" __global__ void take(const int* in, int* n, int* out)
{
    __shared__ int slot;
    int t = threadIdx.x;
    if (in[t] % 2 == 0) {
        unsigned mask = __activemask();
        int leader = __ffs(mask) - 1, base = 0;
#if DEFECT
        if (t == leader) {
            slot = atomicAdd(n, __popc(mask)); // <- slot
        }
        base = slot;
#else
        if (t == leader) base = atomicAdd(n, __popc(mask));
        base = __shfl_sync(mask, base, leader);
#endif
        out[base + __popc(mask & (1u << t) - 1)] = in[t];
    }
}
