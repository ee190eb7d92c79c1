// Row times pitch as int: 2^31 and more comes out negative.
//@ run --entry far --grid 1 --block 4 --arg in:i32:64=iota --arg out:i32:4 --arg i32:65536
//! clean
//! defect 1: out_of_bounds at load
extern "C" __global__ void far(const int* in, int* out, int rows)
{
    int t = threadIdx.x;
#if DEFECT
    int row = t * rows * (rows / 2);
    out[t] = in[row / 4 + 8]; // <- load
#else
    long long row = (long long)t * rows * (rows / 2);
    out[t] = in[row % 64];
#endif
}
