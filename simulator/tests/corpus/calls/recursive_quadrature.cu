// Adaptive quadrature by recursion: each thread halves its interval until it is exact enough, to a depth that data decide.
//@ run --entry integrate --grid 1 --block 40 --arg in:i32:40=iota --arg out:f32:40 --budget 6000000
//! clean
//! defect 1: stack_overflow at deeper|split
//! defect 2: uninitialized_read at stop|deeper|split|result
//! defect 3: out_of_bounds at trail|note
__device__ float f(float x) { return x * x * x * x * x - 2 * x; }
__device__ float simpson(float a, float b) { return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b)); }
__device__ __noinline__ float quad(float a, float b, float exact, int depth, int* trail)
{
#if DEFECT == 3
    trail[depth + 11] = depth; // <- trail
#else
    if (depth < 12) trail[depth] = depth; // <- trail
#endif
    float m = (a + b) / 2, parts; // <- stop
#if DEFECT == 2
    if (depth > 0) parts = simpson(a, m) + simpson(m, b);
#else
    parts = simpson(a, m) + simpson(m, b);
#endif
#if DEFECT == 1
    if (fabsf(parts - simpson(a, b)) < -1.0f) return parts; // <- split
#else
    if (fabsf(parts - simpson(a, b)) < exact || depth > 14) return parts; // <- split
#endif
    return quad(a, m, exact / 2, depth + 1, trail) + quad(m, b, exact / 2, depth + 1, trail); // <- deeper
}
extern "C" __global__ void integrate(const int* in, float* out)
{
    int trail[12]; // <- note
    for (int k = 0; k < 12; ++k) trail[k] = 0;
    float b = 1.0f + in[threadIdx.x];
    float sum = quad(0.0f, b, 1e-3f * b * b * b * b * b * b, 0, trail);
    out[threadIdx.x] = sum + trail[3] * 0; // <- result
}
