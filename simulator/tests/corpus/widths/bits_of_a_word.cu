// Threads set bits of a shared word by atomics. A plain store of a neighbouring bit field writes the whole word.
//@ run --entry bits --grid 1 --block 64 --arg in:i32:64=iota --arg out:u32:3
//! clean
//! defect 1: race at set
//! defect 2: race at field and set
//! defect 3: race at field
struct Fields {
    unsigned a : 4, b : 12, c : 16;
};
extern "C" __global__ void bits(const int* in, unsigned* out)
{
    __shared__ unsigned words[3];
    int t = threadIdx.x;
    if (t < 3) words[t] = 0;
    __syncthreads();
#if DEFECT == 1
    words[t / 32] |= 1u << in[t] % 32; // <- set
#else
    atomicOr(&words[t / 32], 1u << in[t] % 32); // <- set
#endif
#if DEFECT == 2
    if (t == 40) ((Fields*)words)[1].b = 5; // <- field
#elif DEFECT == 3
    if (t == 40) ((Fields*)words)[2].b = 5; // <- field
    if (t == 50) ((Fields*)words)[2].c = 6; // <- field
#else
    if (t == 40) ((Fields*)words)[2].b = 5;
#endif
    __syncthreads();
    if (t < 3) out[t] = words[t];
}
