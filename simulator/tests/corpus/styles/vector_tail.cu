// Four floats at a time, the odd rest one by one.
//@ run --entry scale --grid 1 --block 32 --arg in:f32:127=iota --arg out:f32:127 --arg i32:127
//! clean
//! defect 1: out_of_bounds at four; also=race
//! defect 2: race at four and one
extern "C" __global__ void scale(const float* __restrict__ in, float* __restrict__ out, int n)
{
    const int fours = n >> 2, t = threadIdx.x;
#if DEFECT == 1
    if (t <= fours) {
#else
    if (t < fours) {
#endif
        float4 v;
        v.x = in[4 * t], v.y = in[4 * t + 1], v.z = in[4 * t + 2], v.w = in[min(4 * t + 3, n - 1)];
        v.x *= 2, v.y *= 2, v.z *= 2, v.w *= 2;
        reinterpret_cast<float4*>(out)[t] = v; // <- four
    }
#if DEFECT == 2
    int rest = (fours << 2) - 2 + t;
#else
    int rest = (fours << 2) + t;
#endif
    if (rest < n) out[rest] = in[rest] * 2 + t; // <- one
}
