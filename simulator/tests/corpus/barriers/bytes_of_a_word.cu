// Each thread owns one byte; putting it in by reading and writing the whole word touches three neighbours.
//@ run --entry bytes --grid 1 --block 64 --arg in:i32:64=iota --arg out:u8:64
//! clean
//! defect 1: race at put
extern "C" __global__ void bytes(const int* in, unsigned char* out)
{
    __shared__ __align__(4) unsigned char s[64];
    int t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
#if DEFECT
    ((unsigned*)s)[t / 4] |= in[t] << t % 4 * 8; // <- put
#else
    s[t] = in[t];
#endif
    __syncthreads();
    out[t] = s[t];
}
