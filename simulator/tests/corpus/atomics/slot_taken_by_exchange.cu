// Threads swap a token with a slot; whoever wants to look at the slot must do so by an atomic too.
//@ run --entry swap --grid 3 --block 32 --arg inout:i32:1=zeros --arg out:i32:96
//! clean
//! defect 1: race at swap and look
extern "C" __global__ void swap(int* slot, int* out)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    int v = atomicExch(slot, i); // <- swap
#if DEFECT
    if (v == 5) v = *slot; // <- look
#else
    if (v == 5) v = atomicAdd(slot, 0);
#endif
    out[i] = v;
}
