// Macros from the command line and an older architecture.
//@ run --entry defined --grid 1 --block 64 --define SCALE=3 --define SIGNED --arch 75 --arg out:i32:64
//@ run --arg i64:-5000000000 --arg u32:4000000000 --arg f32:0.5 --arg f64:-0.25 --arg null
//@ run --arg u64:18446744073709551615
// save: 0
// reference: defined

extern "C" __global__ void defined(int* out, long long a, unsigned b, float c, double d, const int* nothing, unsigned long long e)
{
    int t = threadIdx.x;
    int r = t * SCALE + (int)(a / 1000000000) + (int)(b / 1000000000u) + (int)(c * 4.0f) + (int)(d * 8.0) + (nothing == nullptr) + (int)(e >> 60);
#ifdef SIGNED
    r = -r;
#endif
    out[t] = r;
}
