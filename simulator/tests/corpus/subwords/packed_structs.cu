// Records of five bytes without padding: the integer in them is written by bytes. Each thread its own record.
//@ run --entry records --grid 1 --block 32 --arg in:i32:32=iota --arg out:u8:160
//! clean
//! defect 1: race at put
//! defect 2: out_of_bounds at put
//! defect 3: misaligned at whole
extern "C" __global__ void records(const int* in, unsigned char* out)
{
    int t = threadIdx.x, v = in[t] * 70001;
#if DEFECT == 1
    unsigned char* mine = out + t * 4; // five bytes
#elif DEFECT == 2
    unsigned char* mine = out + t * 5 + 1;
#else
    unsigned char* mine = out + t * 5;
#endif
    mine[0] = t + 100; // <- put
#if DEFECT == 3
    *(int*)(mine + 1) = v; // <- whole
#else
    for (int k = 0; k < 4; ++k) mine[k + 1] = v >> 8 * k; // <- put
#endif
}
