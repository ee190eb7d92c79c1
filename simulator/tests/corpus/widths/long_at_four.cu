// 64-bit values packed at 4-byte boundaries: copied by halves that is right, at once it is misaligned.
//@ run --entry copy --grid 1 --block 64 --arg in:i32:192=iota --arg inout:i32:192=zeros
//! clean
//! defect 1: misaligned at whole
//! defect 2: race at low and high
extern "C" __global__ void copy(const int* in, int* out)
{
    int t = threadIdx.x;
    out[3 * t] = in[3 * t];
#if DEFECT == 1
    *(long long*)&out[3 * t + 1] = t; // <- whole
#else
    out[3 * t + 1] = in[3 * t + 1]; // <- low
#if DEFECT == 2
    out[(3 * t + 4) % 192] = in[3 * t + 2]; // <- high
#else
    out[3 * t + 2] = in[3 * t + 2];
#endif
#endif
}
