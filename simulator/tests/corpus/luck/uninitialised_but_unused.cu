// A variable without a value that no path uses without one; with the wrong condition one path does.
//@ run --entry paths --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: uninitialized_read at use|out
extern "C" __global__ void paths(const int* in, int* out)
{
    __shared__ int s[32];
    int t = threadIdx.x, v = in[t];
    bool some = v % 3 == 0;
    if (some) s[t] = v;
    __syncwarp();
#if DEFECT
    some = v % 3 == 0 || v == 16;
#endif
    int x = some ? s[t] : 0; // <- use
    out[t] = x * 2; // <- out
}
