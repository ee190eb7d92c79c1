// A Fourier transform of 64 points (Stockham): from one half of the array to the other.
//@ run --entry fourier --grid 1 --block 32 --arg in:f32:128=iota --arg out:f32:128
//! clean
//! defect 1: race at butterfly
//! defect 2: race at butterfly
//! defect 3: race at butterfly and result
extern "C" __global__ void fourier(const float2* in, float2* out)
{
    __shared__ float2 s[2][64];
    int t = threadIdx.x;
    s[0][t] = in[t];
    s[0][t + 32] = in[t + 32];
    __syncthreads();
    int from = 0;
    for (int m = 1; m < 64; m *= 2) {
        int k = t & (m - 1), j = t - k;
        float2 a = s[from][t], b = s[from][t + 32]; // <- butterfly
        float angle = -3.14159265f * k / m, co = cosf(angle), si = sinf(angle);
        float2 w = {b.x * co - b.y * si, b.x * si + b.y * co};
#if DEFECT == 2
        s[from][2 * j + k] = make_float2(a.x + w.x, a.y + w.y); // <- butterfly
        s[from][2 * j + k + m] = make_float2(a.x - w.x, a.y - w.y); // <- butterfly
#else
        s[1 - from][2 * j + k] = make_float2(a.x + w.x, a.y + w.y); // <- butterfly
        s[1 - from][2 * j + k + m] = make_float2(a.x - w.x, a.y - w.y); // <- butterfly
#endif
#if DEFECT == 1
        if (m != 8) __syncthreads();
#elif DEFECT == 3
        if (m != 32) __syncthreads();
#else
        __syncthreads();
#endif
#if DEFECT != 2
        from = 1 - from;
#endif
    }
    out[t] = s[from][63 - t]; // <- result
    out[t + 32] = s[from][31 - t]; // <- result
}
//! label 3: each thread gave out what it had written itself, which needs no barrier; the results go out in reverse now
