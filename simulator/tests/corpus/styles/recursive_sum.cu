// Each thread adds up a part of a shared array by a recursive function.
//@ run --entry sums --grid 1 --block 40 --arg in:i32:40=iota --arg out:i32:40
//! clean
//! defect 1: race at fill and leaf
//! defect 2: out_of_bounds at leaf
__device__ __noinline__ int sum(const int* s, int from, int to)
{
    if (to - from == 1) return s[from]; // <- leaf
    int mid = (from + to) / 2;
    return sum(s, from, mid) + sum(s, mid, to);
}
extern "C" __global__ void sums(const int* in, int* out)
{
    __shared__ int s[40];
    s[threadIdx.x] = in[threadIdx.x]; // <- fill
#if DEFECT != 1
    __syncthreads();
#endif
#if DEFECT == 2
    int last = threadIdx.x + 2;
#else
    int last = threadIdx.x + 1;
#endif
    out[threadIdx.x] = sum(s, threadIdx.x / 2, last);
}
