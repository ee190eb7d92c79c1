// The left neighbour by an unsigned index: 0 - 1 is four thousand million.
//@ run --entry lefts --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: out_of_bounds at read
extern "C" __global__ void lefts(const int* in, int* out)
{
    unsigned t = threadIdx.x;
#if DEFECT
    out[t] = t - 1 >= 0 ? in[t - 1] : 0; // <- read
#else
    out[t] = t >= 1 ? in[t - 1] : 0;
#endif
}
