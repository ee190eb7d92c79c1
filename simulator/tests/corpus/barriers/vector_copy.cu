// A tile brought in by 16-byte copies of a quarter of the threads and read by all of them as words.
//@ run --entry copy --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at put and take
extern "C" __global__ void copy(const int* in, int* out)
{
    __shared__ __align__(16) int s[64];
    int t = threadIdx.x;
    if (t < 16) {
        ((int4*)s)[t] = ((const int4*)in)[t]; // <- put
    }
#if !DEFECT
    __syncthreads();
#endif
    out[t] = s[t] + 1; // <- take
}
