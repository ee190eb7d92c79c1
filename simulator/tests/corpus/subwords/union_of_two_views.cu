// A union in shared memory: written as floats, read as words after the barrier; bytes of it by other threads.
//@ run --entry views --grid 1 --block 64 --arg in:f32:64=iota --arg out:u8:256
//! clean
//! defect 1: race at write and bytes
//! defect 2: race at write and patch
//! defect 3: uninitialized_read at bytes
union Word {
    float number;
    unsigned bits;
    unsigned char bytes[4];
};
extern "C" __global__ void views(const float* in, unsigned char* out)
{
    __shared__ Word s[64];
    int t = threadIdx.x;
#if DEFECT == 3
    s[t].bytes[0] = in[t];
    s[t].bytes[1] = 1;
    s[t].bytes[3] = 2;
#else
    s[t].number = in[t]; // <- write
#endif
#if DEFECT == 2
    if (t % 32 == 5) s[t + 3].bytes[2] ^= 1; // <- patch
#endif
#if DEFECT != 1
    __syncthreads();
#endif
#if !DEFECT
    if (t % 32 == 5) s[t + 3].bytes[2] ^= 1;
    __syncthreads();
#endif
    for (int k = 0; k < 4; ++k) {
        out[k * 64 + t] = s[(t * 4 + k) % 64].bytes[k]; // <- bytes
    }
}
