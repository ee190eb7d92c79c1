// A function returns a struct of which one path sets only a part.
//@ run --entry clamp --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: uninitialized_read at use
struct Range {
    int low, high;
};
__device__ __noinline__ Range around(int v)
{
    Range r;
    r.low = v - 1;
#if DEFECT
    if (v < 60) r.high = v + 1;
#else
    r.high = v < 60 ? v + 1 : 60;
#endif
    return r;
}
extern "C" __global__ void clamp(const int* in, int* out)
{
    Range r = around(in[threadIdx.x]);
    out[threadIdx.x] = r.low * 100 + r.high; // <- use
}
