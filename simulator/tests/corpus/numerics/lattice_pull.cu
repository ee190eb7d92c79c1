// A lattice gas in one dimension: a cell pulls what its neighbours sent, from one buffer into the other; the edges are periodic.
//@ run --entry stream --grid 2 --block 32 --arg in:f32:192=iota --arg out:f32:192 --arg i32:64
//! clean
//! defect 1: out_of_bounds at pull
//! defect 2: race at push
//! defect 3: out_of_bounds at push
extern "C" __global__ void stream(const float* f, float* g, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if DEFECT == 1
    float rest = f[i], right = f[n + i - 1], left = f[2 * n + i + 1]; // <- pull
#else
    float rest = f[i], right = f[n + (i + n - 1) % n], left = f[2 * n + (i + 1) % n];
#endif
    float mean = (rest + right + left) / 3;
#if DEFECT == 2
    g[n + i] = mean;
    g[n + i % (n - 1)] = right + 0.5f * (mean - right); // <- push
#elif DEFECT == 3
    g[n + i] = right + 0.5f * (mean - right);
    g[3 * n - i] = left; // <- push
#else
    g[n + i] = right + 0.5f * (mean - right);
#endif
    g[i] = rest + 0.5f * (mean - rest);
    g[2 * n + i] = left + 0.5f * (mean - left); // <- push
}
