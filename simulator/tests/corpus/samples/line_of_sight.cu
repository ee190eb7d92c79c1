// The highest angle so far, by a scan of maxima that goes up and down a tree in place.
//@ run --entry view --grid 1 --block 64 --arg in:i32:128=iota --arg out:i32:128
//! clean
//! defect 1: race at up
//! defect 2: race at top and down
//! defect 3: race at down
//! defect 4: race at down and look
extern "C" __global__ void view(const int* in, int* out)
{
    __shared__ int s[128];
    int t = threadIdx.x, offset = 1;
    s[2 * t] = in[2 * t] * 29 % 100;
    s[2 * t + 1] = in[2 * t + 1] * 29 % 100;
    int left = s[2 * t], right = s[2 * t + 1];
    for (int d = 64; d > 0; d >>= 1) {
#if DEFECT == 1
        if (d != 4) __syncthreads();
#else
        __syncthreads();
#endif
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            s[b] = max(s[a], s[b]); // <- up
        }
        offset *= 2;
    }
#if DEFECT == 2
    if (t == 40) s[127] = -1; // <- top
#else
    if (t == 0) s[127] = -1;
#endif
    for (int d = 1; d < 128; d *= 2) {
        offset >>= 1;
#if DEFECT == 2
        if (d > 1) __syncthreads();
#elif DEFECT == 3
        if (d != 64) __syncthreads();
#else
        __syncthreads();
#endif
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            int v = s[a]; // <- down
            s[a] = s[b]; // <- down
            s[b] = max(v, s[b]); // <- down
        }
    }
#if DEFECT != 4
    __syncthreads();
#endif
    out[t] = (t < 64 ? s[t] : 0) < left; // <- look
    out[t + 64] = s[t + 64] < right; // <- look
}
