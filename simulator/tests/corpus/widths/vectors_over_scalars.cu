// A thread stores four bytes, shorts or floats at once; another stores one of them.
//@ run --entry store --grid 1 --block 64 --arg inout:u8:256=zeros --arg inout:f32:256=zeros
//! clean
//! defect 1: race at wide and narrow
//! defect 2: race at four and one
extern "C" __global__ void store(uchar4* bytes, float* floats)
{
    int t = threadIdx.x;
    if (t % 2 == 0) {
        bytes[t] = make_uchar4(t, t, t, t); // <- wide
        ((float4*)floats)[t] = make_float4(t, 1, 2, 3); // <- four
    } else {
#if DEFECT == 1
        ((unsigned char*)bytes)[4 * t - 1] = 200; // <- narrow
#else
        ((unsigned char*)bytes)[4 * t + 3] = 200; // <- narrow
#endif
#if DEFECT == 2
        floats[4 * t - 4] = 100 + t; // <- one
#else
        floats[4 * t + 1] = t; // <- one
#endif
    }
}
