// Sixteen-bit counters of neighbouring threads lie in one word: each by itself, or carelessly as the word.
//@ run --entry add --grid 1 --block 64 --arg in:i32:64=iota --arg out:u16:64
//! clean
//! defect 1: race at word
//! defect 2: race at half
//! defect 3: out_of_bounds at half; also=uninitialized_read
extern "C" __global__ void add(const int* in, unsigned short* out)
{
    __shared__ __align__(8) unsigned short s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
#if DEFECT == 1
    *(unsigned*)&s[t & ~1] += t & 1 ? in[t] << 16 : in[t]; // <- word
#elif DEFECT == 2
    s[t ^ (t > 50)] += in[t]; // <- half
    if (t == 50) s[51] = 1; // <- half
#elif DEFECT == 3
    s[t * 65 / 63] += in[t]; // <- half
#else
    s[t] += in[t];
#endif
    __syncthreads();
    out[t] = s[t];
}
