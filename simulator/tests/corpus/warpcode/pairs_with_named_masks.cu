// Even and odd lanes go different ways and sync only with their like; what they share is by parity.
//@ run --entry parity --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: race at even and even_get
//! defect 2: race at odd and even_get
//! defect 3: invalid_mask at wrong
extern "C" __global__ void parity(const int* in, int* out)
{
    __shared__ int s[34];
    int t = threadIdx.x;
    if (t % 2 == 0) {
        s[t] = in[t]; // <- even
#if DEFECT == 3
        __syncwarp(0xaaaaaaaa); // <- wrong
#elif DEFECT != 1
        __syncwarp(0x55555555);
#endif
#if DEFECT == 2
        out[t] = s[(t + 3) % 32]; // <- even_get
#elif DEFECT == 3
        out[t] = s[t];
#else
        out[t] = s[(t + 2) % 32]; // <- even_get
#endif
    } else {
        s[t] = -in[t]; // <- odd
        __syncwarp(0xaaaaaaaa);
        out[t] = s[(t + 30) % 32];
    }
}
