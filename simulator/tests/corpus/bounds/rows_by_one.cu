// A 2-D grid over a matrix of 20 by 20; the guard on rows lets one row too many through.
//@ run --entry twice --grid 2,2 --block 16,16 --arg in:f32:20x20=iota --arg out:f32:20x20 --arg i32:20 --arg i32:20
//! clean
//! defect 1: out_of_bounds at access
extern "C" __global__ void twice(const float* in, float* out, int width, int height)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
#if DEFECT
    if (x < width && y <= height) {
#else
    if (x < width && y < height) {
#endif
        out[y * width + x] = 2 * in[y * width + x]; // <- access
    }
}
