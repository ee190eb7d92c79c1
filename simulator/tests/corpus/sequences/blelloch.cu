// A work-efficient scan: up the tree, then down, a barrier for every level.
//@ run --entry scan --grid 1 --block 64 --arg in:i32:128=iota --arg out:i32:128
//! clean
//! defect 1: race at up
//! defect 2: race at down|clear
//! defect 3: race at up|down|clear
extern "C" __global__ void scan(const int* in, int* out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[2 * t] = in[2 * t];
    s[2 * t + 1] = in[2 * t + 1];
    for (int n = 64, d = 1; n > 0; n /= 2, d *= 2) {
#if DEFECT == 1
        if (n != 16) __syncthreads();
#else
        __syncthreads();
#endif
        if (t < n) {
            s[d * (2 * t + 2) - 1] += s[d * (2 * t + 1) - 1]; // <- up
        }
    }
#if DEFECT == 3
    if (t == 7) s[127] = 0; // <- clear
#else
    if (t == 0) {
        s[127] = 0;
    }
#endif
    for (int n = 1, d = 64; n <= 64; n *= 2, d /= 2) {
#if DEFECT == 2
        if (n != 64) __syncthreads();
#else
        __syncthreads();
#endif
        if (t < n) {
            int left = s[d * (2 * t + 1) - 1];
            s[d * (2 * t + 1) - 1] = s[d * (2 * t + 2) - 1]; // <- down
            s[d * (2 * t + 2) - 1] += left;
        }
    }
    __syncthreads();
    out[2 * t] = s[2 * t];
    out[2 * t + 1] = s[2 * t + 1];
}
