// A window of eight values kept in a local array, indexed at run time.
//@ run --entry windows --grid 1 --block 32 --arg in:i32:64=iota --arg out:i32:32 --arg i32:8
//! clean
//! defect 1: out_of_bounds at write
extern "C" __global__ void windows(const int* in, int* out, int n)
{
    int w[8];
    int t = threadIdx.x;
#if DEFECT
    for (int k = 0; k <= n; ++k) {
#else
    for (int k = 0; k < n; ++k) {
#endif
        w[(k * 5) % 8 + k / 8 * 8] = in[t + k]; // <- write
    }
    int sum = 0;
    for (int k = 0; k < n; ++k) sum += w[(k + t) % 8];
    out[t] = sum;
}
