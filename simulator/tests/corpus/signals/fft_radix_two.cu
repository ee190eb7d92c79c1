// A Fourier transform of 64 points by 32 threads in shared memory, two complex numbers each: the first stages stay within the warp, so `__syncwarp()` is enough for all of them.
//@ run --entry fft --grid 2 --block 32 --arg in:f32:128=iota --arg out:f32:256
//! clean
//! defect 1: race at butterfly and butterfly
//! defect 2: race at scatter and butterfly
//! defect 3: out_of_bounds at butterfly
//! defect 4: race at butterfly and leave
struct Complex {
    float re, im;
};
__device__ Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
extern "C" __global__ void fft(const float* in, float* out)
{
    __shared__ Complex s[64];
    int t = threadIdx.x;
    for (int k = t; k < 64; k += 32) s[__brev(k) >> 26] = Complex{in[blockIdx.x * 64 + k], 0.0f}; // <- scatter
#if DEFECT != 2
    __syncwarp();
#endif
    for (int half = 1; half < 64; half *= 2) {
#if DEFECT == 3
        int i = t / half * 2 * half + t % half + (half == 32 ? 1 : 0);
#else
        int i = t / half * 2 * half + t % half;
#endif
        float sine, cosine;
        sincosf(-3.14159265f * (t % half) / half, &sine, &cosine);
        Complex a = s[i], b = s[i + half] * Complex{cosine, sine}; // <- butterfly
        s[i] = Complex{a.re + b.re, a.im + b.im}; // <- butterfly
        s[i + half] = Complex{a.re - b.re, a.im - b.im}; // <- butterfly
#if DEFECT == 1
        if (half % 4)
#endif
#if DEFECT == 4
        if (half < 32)
#endif
        __syncwarp();
    }
    for (int k = t; k < 64; k += 32) {
        out[blockIdx.x * 128 + 2 * k] = s[63 - k].re; // <- leave
        out[blockIdx.x * 128 + 2 * k + 1] = s[63 - k].im; // <- leave
    }
}
