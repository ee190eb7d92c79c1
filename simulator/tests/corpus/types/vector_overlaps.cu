// Threads store four floats at once; the vectors of neighbours must not overlap.
//@ run --entry vectors --grid 1 --block 32 --arg out:f32:128
//! clean
//! defect 1: race at store
extern "C" __global__ void vectors(float* out)
{
    __shared__ __align__(16) float s[160];
    int t = threadIdx.x;
#if DEFECT
    int at = (t / 2 + t % 2) * 4;
#else
    int at = t * 4;
#endif
    *(float4*)&s[at] = make_float4(t, t + 1, t + 2, t + 3); // <- store
    __syncthreads();
    for (int k = t; k < 128; k += 32) out[k] = k < 4 * 16 ? s[k] : 0.0f;
}
