// A filter with taps in constant memory over a line with clamped ends.
//@ run --entry filter --grid 3 --block 32 --arg in:f32:96=iota --arg out:f32:96
//! clean
//! defect 1: out_of_bounds at tap
//! defect 2: out_of_bounds at cell
__constant__ float taps[5] = {1, 4, 6, 4, 1};
template <int Radius>
__device__ float around(const float* line, int i, int n)
{
    float v = 0;
#if DEFECT == 1
    for (int d = -Radius; d <= Radius + 1; ++d) {
#else
    for (int d = -Radius; d <= Radius; ++d) {
#endif
        float tap = taps[d + Radius]; // <- tap
#if DEFECT == 2
        int at = max(i + d, -1);
#else
        int at = max(i + d, 0);
#endif
        v += tap * line[min(at, n - 1)]; // <- cell
    }
    return v;
}
extern "C" __global__ void filter(const float* in, float* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = around<2>(in, i, 96);
}
