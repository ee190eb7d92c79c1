// A tridiagonal system by parallel cyclic reduction: all read, all meet, all write.
//@ run --entry solve --grid 1 --block 32 --arg in:f32:32=ones --arg out:f32:32
//! clean
//! defect 1: race at read and write
//! defect 2: race at read and write
//! defect 3: out_of_bounds at read
extern "C" __global__ void solve(const float* in, float* out)
{
    __shared__ float a[32], b[32], c[32], d[32];
    int t = threadIdx.x;
    a[t] = t ? in[t] : 0;
    b[t] = 4;
    c[t] = t < 31 ? in[t] : 0;
    d[t] = t;
    __syncthreads();
    for (int s = 1; s < 32; s *= 2) {
#if DEFECT == 3
        int low = t - s, high = t + s;
#else
        int low = max(t - s, 0), high = min(t + s, 31);
#endif
        float f = a[t] / b[low], g = c[t] / b[high]; // <- read
        float na = -a[low] * f, nc = -c[high] * g, nb = b[t] - c[low] * f - a[high] * g, nd = d[t] - d[low] * f - d[high] * g; // <- read
#if DEFECT != 1
        __syncthreads();
#endif
        a[t] = na; // <- write
        b[t] = nb; // <- write
        c[t] = nc; // <- write
        d[t] = nd; // <- write
#if DEFECT != 2
        __syncthreads();
#endif
    }
    out[t] = d[t] / b[t];
}
