// Hillis and Steele's scan: two buffers and a barrier a step; in place one barrier a step is not enough.
//@ run --entry scan --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at step
extern "C" __global__ void scan(const int* in, int* out)
{
    __shared__ int s[2][64];
    int t = threadIdx.x, from = 0;
    s[0][t] = in[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
#if DEFECT
        if (t >= d) {
            s[0][t] += s[0][t - d]; // <- step
        }
#else
        s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        from = 1 - from;
#endif
        __syncthreads();
    }
    out[t] = s[from][t];
}
