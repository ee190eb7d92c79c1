// Three arrays in one dynamic allocation: n bytes, then n shorts, then n ints, each aligned; n is no multiple of four.
//@ run --entry three --grid 1 --block 64 --shared 560 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at shorts and ints
//! defect 2: misaligned at ints
extern __shared__ __align__(16) unsigned char pool[];
extern "C" __global__ void three(const int* in, int* out)
{
    int t = threadIdx.x;
    const int n = 66;
    unsigned char* bytes = pool;
    short* shorts = (short*)(pool + 66);
#if DEFECT == 1
    int* ints = (int*)(pool + 132);
#elif DEFECT == 2
    int* ints = (int*)(pool + 66 + 2 * n);
#else
    int* ints = (int*)(pool + 200);
#endif
    bytes[t] = in[t];
    shorts[t] = in[t] * 2; // <- shorts
    ints[t] = in[t] * 3; // <- ints
    __syncthreads();
    out[t] = bytes[63 - t] + shorts[63 - t] + ints[63 - t];
}
