// A grid-stride loop; the wrong guard lets one thread do one iteration too many, at the very end.
//@ run --entry scale --grid 2 --block 32 --arg inout:i32:1000=iota --arg i32:1000
//! clean
//! defect 1: out_of_bounds at access
extern "C" __global__ void scale(int* a, int n)
{
#if DEFECT
    for (int i = blockIdx.x * 32 + threadIdx.x; i <= n; i += 64) {
#else
    for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += 64) {
#endif
        a[i] *= 3; // <- access
    }
}
