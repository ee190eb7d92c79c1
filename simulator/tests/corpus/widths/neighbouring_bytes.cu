// Every thread owns a byte, four threads of different warps or blocks a word: no race. Two on one byte race.
//@ run --entry mark --grid 3 --block 64 --arg inout:u8:192=zeros
//! clean
//! defect 1: race at put
//! defect 2: race at after
extern "C" __global__ void mark(unsigned char* flags)
{
    int i = threadIdx.x * 3 + blockIdx.x;
#if DEFECT == 1
    flags[i / 2 * 2] = i; // <- put
#else
    flags[i] = i; // <- put
#endif
#if DEFECT == 2
    flags[i] += flags[(i + 1) % 192]; // <- after
#else
    flags[i] += 3;
#endif
}
