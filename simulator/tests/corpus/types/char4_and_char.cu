// Colours written as four bytes, one of them again by another thread.
//@ run --entry colours --grid 1 --block 64 --arg in:i32:64=iota --arg out:u8:256
//! clean
//! defect 1: race at whole and alpha
extern "C" __global__ void colours(const int* in, unsigned char* out)
{
    int t = threadIdx.x;
    unsigned char v = in[t];
    ((uchar4*)out)[t] = make_uchar4(v, v, v, 255); // <- whole
#if DEFECT
    out[4 * ((t + 1) % 64) + 3] = 128; // <- alpha
#else
    out[4 * t + 3] = 128;
#endif
}
