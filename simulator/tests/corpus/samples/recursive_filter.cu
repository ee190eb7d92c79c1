// A recursive filter down the columns: one thread a column, forwards and then backwards over its own results.
//@ run --entry filter --grid 2 --block 16 --arg in:f32:512=iota --arg inout:f32:512=zeros --arg i32:32 --arg i32:16
//! clean
//! defect 1: race at back
//! defect 2: out_of_bounds at forwards
//! defect 3: out_of_bounds at step
extern "C" __global__ void filter(const float* in, float* out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
#if DEFECT == 2
    if (x > w) return;
    x = w - x;
#else
    if (x >= w) return;
#endif
    in += x;
    out += x;
    float y = 0;
    for (int k = 0; k < h; ++k) {
        y = *in * 0.25f + y * 0.75f; // <- forwards
        *out = y;
        in += w;
        out += w;
    }
#if DEFECT == 3
    for (int k = h; k >= 0; --k) {
        out -= w;
        y = *out * 0.25f + y * 0.75f; // <- step
        *out = y;
    }
#elif DEFECT == 1
    for (int k = h - 1; k >= 0; --k) {
        out -= w;
        y = out[(x + 1) % w - x] * 0.25f + y * 0.75f; // <- back
        *out = y; // <- back
    }
#else
    for (int k = h - 1; k >= 0; --k) {
        out -= w;
        y = *out * 0.25f + y * 0.75f;
        *out = y;
    }
#endif
}
