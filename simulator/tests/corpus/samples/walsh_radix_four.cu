// A fast Walsh transform, radix 4: each thread takes four elements that a stride is apart; the rest is one step of radix 2.
//@ run --entry walsh --grid 2 --block 32 --arg inout:f32:256=iota --arg i32:7
//! clean
//! defect 1: race at four
//! defect 2: race at four and two|four
//! defect 3: race at fetch and four
extern "C" __global__ void walsh(float* data, int log2n)
{
    __shared__ float s[128];
    int n = 1 << log2n, t = threadIdx.x;
    float* mine = data + blockIdx.x * n;
    for (int i = 4 * t; i < 4 * t + 4; ++i) {
        s[i] = mine[i]; // <- fetch
    }
    int stride = n >> 2;
    for (; stride > 0; stride >>= 2) {
#if DEFECT == 3
        if (stride < n >> 2) __syncthreads();
#elif DEFECT != 1
        __syncthreads();
#else
        if (stride == n >> 2) __syncthreads();
#endif
        int low = t & (stride - 1), i0 = ((t - low) << 2) + low, i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
        float d0 = s[i0], d1 = s[i1], d2 = s[i2], d3 = s[i3]; // <- four
        s[i0] = d0 + d2 + (d1 + d3); // <- four
        s[i1] = d0 + d2 - (d1 + d3); // <- four
        s[i2] = d0 - d2 + (d1 - d3); // <- four
        s[i3] = d0 - d2 - (d1 - d3); // <- four
    }
    if (log2n & 1) {
#if DEFECT != 2
        __syncthreads();
#endif
        for (int i = t; i < n / 2; i += blockDim.x) {
            float a = s[2 * i], b = s[2 * i + 1]; // <- two
            s[2 * i] = a + b; // <- two
            s[2 * i + 1] = a - b; // <- two
        }
    }
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) mine[i] = s[i];
}
