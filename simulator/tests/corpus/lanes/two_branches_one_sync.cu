// Both sides of a branch write, and a __syncwarp for all comes after it; in one side only half of the lanes would sync.
//@ run --entry sides --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: race at low|high and get
extern "C" __global__ void sides(const int* in, int* out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 16) {
        s[t] = in[t] + 1; // <- low
#if DEFECT
        __syncwarp(0x0000ffff);
#endif
    } else {
        s[t] = in[t] - 1; // <- high
#if DEFECT
        __syncwarp(0xffff0000);
#endif
    }
#if !DEFECT
    __syncwarp();
#endif
    out[t] = s[31 - t]; // <- get
}
