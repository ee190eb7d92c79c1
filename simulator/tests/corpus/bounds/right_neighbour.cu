// Differences to the right neighbour; the last element has none.
//@ run --entry differences --grid 1 --block 64 --arg in:f32:64=iota --arg out:f32:64 --arg i32:64
//! clean
//! defect 1: out_of_bounds at read
extern "C" __global__ void differences(const float* in, float* out, int n)
{
    int i = threadIdx.x;
#if DEFECT
    out[i] = in[i + 1] - in[i]; // <- read
#else
    out[i] = i + 1 < n ? in[i + 1] - in[i] : 0.0f;
#endif
}
