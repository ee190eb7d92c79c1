// A null pointer is written through.
//@ run --entry null_pointer --grid 1 --block 32 --arg null --arg out:i32:32
// status: finished|faulted
// expect: out_of_bounds error @ store

extern "C" __global__ void null_pointer(int* nothing, int* out)
{
    int t = threadIdx.x;
    out[t] = t;
    nothing[t] = t; // <- store
}
