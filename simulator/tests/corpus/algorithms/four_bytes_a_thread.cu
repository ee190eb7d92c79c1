// An image of bytes inverted four at a time, with the odd rest done byte by byte by other threads.
//@ run --entry invert --grid 1 --block 64 --arg in:u8:203=iota --arg out:u8:203 --arg i32:203
//! clean
//! defect 1: out_of_bounds at load|wide
//! defect 2: race at wide and rest
extern "C" __global__ void invert(const unsigned char* in, unsigned char* out, int n)
{
    int t = threadIdx.x, words = n / 4;
#if DEFECT == 1
    if (t <= words) {
#else
    if (t < words) {
#endif
        unsigned v = ((const unsigned*)in)[t]; // <- load
        ((unsigned*)out)[t] = ~v; // <- wide
    }
#if DEFECT == 2
    int first = 4 * words - 1;
#else
    int first = 4 * words;
#endif
    if (t >= 60 && first + t - 60 < n) {
        out[first + t - 60] = t; // <- rest
    }
}
