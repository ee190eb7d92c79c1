// Pixels of four bytes are taken apart: each thread turns one grey, as bytes, then four threads' bytes are stored as a word; neighbours' bytes of one word are written by different threads.
//@ run --entry grey --grid 3 --block 32 --arg in:u8:384=iota --arg out:u8:96 --arg inout:u8:96=zeros
//! clean
//! defect 1: race at byte and word
//! defect 2: misaligned at word
//! defect 3: race at pair and pair
//! defect 4: out_of_bounds at load
extern "C" __global__ void grey(const uchar4* in, unsigned char* out, unsigned char* pairs)
{
    __shared__ alignas(4) unsigned char s[36];
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
#if DEFECT == 4
    uchar4 p = in[i + (t == 31)]; // <- load
#else
    uchar4 p = in[i]; // <- load
#endif
    s[t] = (unsigned char)((p.x * 77 + p.y * 150 + p.z * 29) >> 8); // <- byte
#if DEFECT != 1
    __syncwarp();
#endif
    if (t < 8) {
#if DEFECT == 2
        *(unsigned*)(out + blockIdx.x * 32 + 4 * t) = *(const unsigned*)(s + 4 * t + 1); // <- word
#else
        *(unsigned*)(out + blockIdx.x * 32 + 4 * t) = *(const unsigned*)(s + 4 * t); // <- word
#endif
    }
#if DEFECT == 3
    *(unsigned short*)(pairs + i / 2 * 2) = p.w + t; // <- pair
#else
    pairs[i] = p.w; // <- pair
#endif
}
