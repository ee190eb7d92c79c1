// All threads read one table that nobody writes any more; rewriting an entry with what it holds is a write all the same.
//@ run --entry table --grid 2 --block 64 --arg inout:i32:16=iota --arg out:i32:128
//! clean
//! defect 1: race at look and touch
extern "C" __global__ void table(int* values, int* out)
{
    int t = threadIdx.x;
    int v = values[t % 16]; // <- look
    out[blockIdx.x * 64 + t] = v;
#if DEFECT
    if (t == 33 && blockIdx.x == 1) {
        values[3] = v + 1; // <- touch
    }
#endif
}
