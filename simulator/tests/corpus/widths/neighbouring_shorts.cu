// The same with two bytes, in shared and in global memory, across the warps of a block and across blocks.
//@ run --entry mark --grid 2 --block 64 --arg inout:i16:128=iota
//! clean
//! defect 1: race at wide
//! defect 2: race at near and far
extern "C" __global__ void mark(short* data)
{
    __shared__ short s[128];
    int t = threadIdx.x, i = t * 2 + blockIdx.x;
    s[127 - t] = data[i] + 1; // <- near
#if DEFECT == 1
    if (t == 5 && blockIdx.x == 0) {
        *(int*)&data[i & ~1] = 7; // <- wide
    } else {
        data[i] = t; // <- put
    }
#else
    data[i] = t; // <- put
#endif
#if DEFECT == 2
    if (t == 9) s[127 - 33] = 1; // <- far
#endif
    data[i] += s[127 - t];
}
