// A barrier behind a macro that takes a condition, the same for all threads or not.
//@ run --entry pairs --grid 1 --block 96 --arg in:f32:96=iota --arg out:f32:96
//! clean
//! defect 1: barrier_divergence at sync|end; also=race
#define MEET_IF(condition) do { if (condition) __syncthreads(); } while (0)
extern "C" __global__ void pairs(const float* in, float* out)
{
    __shared__ float s[96];
    const unsigned t = threadIdx.x;
    s[t] = in[t];
#if DEFECT
    MEET_IF(t < 90); // <- sync
#else
    MEET_IF(blockDim.x > 32);
#endif
    float v = s[95 - t];
    __syncthreads(); // <- end
    out[t] = v;
}
