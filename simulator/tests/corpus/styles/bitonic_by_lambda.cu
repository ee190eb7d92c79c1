// A bitonic sort; the small strides stay within a warp, which does not make them ordered.
//@ run --entry sort --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at swap
//! defect 2: race at swap
extern "C" __global__ void sort(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t] * 29 % 64;
    __syncthreads();
    auto exchange = [&](int a, int b, bool up) {
        int u = s[a], v = s[b]; // <- swap
        if (u > v == up) {
            s[a] = v; // <- swap
            s[b] = u; // <- swap
        }
    };
    for (int size = 2; size <= 64; size *= 2)
        for (int d = size / 2; d > 0; d /= 2) {
            if ((t & d) == 0) exchange(t, t + d, (t & size) == 0);
#if DEFECT == 1
            if (d > 16) __syncthreads();
#elif DEFECT == 2
            __syncwarp();
#else
            __syncthreads();
#endif
        }
    out[t] = s[t];
}
