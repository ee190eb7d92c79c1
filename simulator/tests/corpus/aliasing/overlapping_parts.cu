// Two arguments that are parts of one buffer: side by side, or overlapping by one element.
//@ run --entry mirror --grid 1 --block 64 --arg inout:i32:128=iota --arg same:0+64
//! clean
//! defect 1: race at write; arg1=same:0+63
extern "C" __global__ void mirror(int* a, int* b)
{
    int t = threadIdx.x;
    int v = t * 5;
    a[t] = v; // <- write
    b[t] = v + 1; // <- write2
}
