// Pairs stored to shared memory at an odd word.
//! launch pairs grid=1 block=32 in:i32:64=iota out:i32:65
//! clean
//! defect 1: misaligned at store
extern "C" __global__ void pairs(const int* in, int* out)
{
    __shared__ __align__(8) int s[66];
    int t = threadIdx.x;
#if DEFECT
    const int first = 1;
#else
    const int first = 2;
#endif
    *(int2*)&s[2 * t + first] = make_int2(in[2 * t], in[2 * t + 1]); // <- store
    __syncthreads();
    out[t] = s[first + 63 - t];
}
