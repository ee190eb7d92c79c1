// The pattern of NVIDIA's threadFenceReduction: each block writes its part, fences and draws a number; the last one adds the parts up.
// Its reads stand behind a number that was drawn after all others, with no fence of their own: a warning, and an error without the
// writers' fence.
//@ run --entry last --grid 4 --block 64 --arg in:i32:256=iota --arg inout:i32:4=zeros --arg inout:u32:1=zeros --arg out:i32:1
//! clean
//! defect 1: race at part and sum
//! defect 2: race at part and sum
extern "C" __global__ void last(const int* in, int* parts, unsigned* count, int* out)
{
    __shared__ bool is_last;
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int k = 0; k < 64; ++k) sum += s[k];
        parts[blockIdx.x] = sum; // <- part
#if DEFECT != 2
        __threadfence();
#endif
        is_last = atomicInc(count, gridDim.x) == gridDim.x - 1;
#if !DEFECT
        __threadfence();
#endif
    }
    __syncthreads();
    if (is_last) {
        if (t == 0) {
            int total = 0;
            for (int k = 0; k < 4; ++k) total += parts[k]; // <- sum
            *out = total;
            *count = 0;
        }
    }
}
//! label 1: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
