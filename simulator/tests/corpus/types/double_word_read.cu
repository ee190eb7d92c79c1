// A 64-bit read over two words that two threads write.
//@ run --entry wide --grid 1 --block 64 --arg in:i32:64=iota --arg out:u64:32
//! clean
//! defect 1: race at half and wide
extern "C" __global__ void wide(const int* in, unsigned long long* out)
{
    __shared__ __align__(8) int s[64];
    int t = threadIdx.x;
    s[t] = in[t]; // <- half
#if !DEFECT
    __syncthreads();
#endif
    if (t < 32) {
        out[t] = ((unsigned long long*)s)[t]; // <- wide
    }
}
