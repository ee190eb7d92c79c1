// Lanes go round a loop a different number of times and meet behind it.
//@ run --entry fold --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: race at put and get
extern "C" __global__ void fold(const int* in, int* out)
{
    __shared__ int s[32];
    int t = threadIdx.x, v = 0;
    for (int k = 0; k <= t % 5; ++k) v = v * 3 + in[(t + k) % 32];
    s[t] = v; // <- put
#if !DEFECT
    __syncwarp();
#endif
    out[t] = s[t ^ 7]; // <- get
}
