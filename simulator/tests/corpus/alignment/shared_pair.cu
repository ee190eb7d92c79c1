// Pairs stored to shared memory at an odd word.
//@ run --entry pairs --grid 1 --block 32 --arg in:i32:64=iota --arg out:i32:65 --arg i32:2
//! clean
//! defect 1: misaligned at store; arg2=i32:1
extern "C" __global__ void pairs(const int* in, int* out, int first)
{
    __shared__ __align__(8) int s[66];
    int t = threadIdx.x;
    *(unsigned long long*)&s[2 * t + first] = *(const unsigned long long*)&in[2 * t]; // <- store
    __syncthreads();
    out[t] = s[first + 63 - t];
}
//! label 1: was an assignment of int2, which checked code makes of two single words: nothing is misaligned in it
