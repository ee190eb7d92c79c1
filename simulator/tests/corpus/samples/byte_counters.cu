// A histogram of 64 bins with a byte counter per thread and bin; four bytes of one word belong to four threads.
//@ run --entry count --grid 1 --block 32 --arg in:u32:128=iota --arg out:u32:64
//! clean
//! defect 1: race at clear and add
//! defect 2: race at add
//! defect 3: race at add and sum
//! defect 4: race at word
extern "C" __global__ void count(const unsigned* in, unsigned* out)
{
    __shared__ __align__(4) unsigned char s[64 * 32];
    int t = threadIdx.x;
    for (int i = t; i < 64 * 32 / 4; i += 32) ((unsigned*)s)[i] = 0; // <- clear
#if DEFECT != 1
    __syncthreads();
#endif
    int lane = (t & ~31) | (t & 7) << 2 | (t & 24) >> 3;
    for (int i = t; i < 128; i += 32) {
        unsigned v = in[i] * in[i] % 64;
#if DEFECT == 2
        s[v * 32 + lane / 2]++; // <- add
#elif DEFECT == 4
        ((unsigned*)s)[(v * 32 + lane) / 4] += 1u << 8 * (lane % 4); // <- word
#else
        s[v * 32 + lane]++; // <- add
#endif
    }
#if DEFECT != 3
    __syncthreads();
#endif
    for (int bin = t; bin < 64; bin += 32) {
        unsigned sum = 0;
        for (int i = 0; i < 32; ++i) sum += s[bin * 32 + (i + t & 31)]; // <- sum
        out[bin] = sum;
    }
}
