// The same kernel body with a functor for the operation; the race's line is in the learner's template.
//@ run --entry fold --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:1
//! clean
//! defect 1: race at step
struct Sum {
    __device__ int operator()(int a, int b) const { return a + b; }
};
template <typename Operation>
__device__ int fold_block(int* s, Operation operation)
{
    int t = threadIdx.x;
    for (int d = 1; d < 64; d *= 2) {
        if (t % (2 * d) == 0) {
            s[t] = operation(s[t], s[t + d]); // <- step
        }
#if DEFECT
        if (d != 32 && d != 16) __syncthreads();
#else
        __syncthreads();
#endif
    }
    return s[0];
}
extern "C" __global__ void fold(const int* in, int* out)
{
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    int all = fold_block(s, Sum());
    if (threadIdx.x == 0) *out = all;
}
