// A shift from one buffer to another, or within one.
//@ run --entry shift --grid 1 --block 64 --arg in:i32:65=iota --arg out:i32:64
//! clean
//! defect 1: race at shift; arg0=inout:i32:65=iota arg1=same:0
extern "C" __global__ void shift(const int* in, int* out)
{
    int t = threadIdx.x;
    out[t] = in[t + 1]; // <- shift
}
