// One of two values is unset; the choice between them is right or off by one.
//@ run --entry choose --grid 1 --block 64 --arg in:i32:64=iota --arg out:f32:64
//! clean
//! defect 1: uninitialized_read at pick|store
extern "C" __global__ void choose(const int* in, float* out)
{
    __shared__ float low[64], high[64];
    int t = threadIdx.x;
    if (t < 30) low[t] = in[t] * 0.5f;
    else high[t] = in[t] * 2.0f;
    __syncthreads();
    float a = low[t], b = high[t];
#if DEFECT
    float v = t <= 30 ? a : b; // <- pick
#else
    float v = t < 30 ? a : b;
#endif
    out[t] = v + 1; // <- store
}
