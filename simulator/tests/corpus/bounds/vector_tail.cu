// Sixteen-byte loads of 30 floats: the last vector hangs over.
//@ run --entry sums --grid 1 --block 32 --arg in:f32:30=iota --arg out:f32:8 --arg i32:30
//! clean
//! defect 1: out_of_bounds at vector
extern "C" __global__ void sums(const float* in, float* out, int n)
{
    int t = threadIdx.x;
#if DEFECT
    if (4 * t < n) {
#else
    if (4 * t + 3 < n) {
#endif
        float4 v = ((const float4*)in)[t]; // <- vector
        out[t] = v.x + v.y + v.z + v.w;
    } else if (4 * t < n) {
        float sum = 0;
        for (int k = 4 * t; k < n; ++k) sum += in[k];
        out[t] = sum;
    }
}
