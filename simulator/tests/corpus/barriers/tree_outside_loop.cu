// A reduction tree with the barrier inside the loop, or behind it.
//@ run --entry total --grid 1 --block 128 --arg in:i32:128=iota --arg out:i32:1
//! clean
//! defect 1: race at add
extern "C" __global__ void total(const int* in, int* out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (t < d) {
            s[t] += s[t + d]; // <- add
        }
#if !DEFECT
        __syncthreads();
#endif
    }
    __syncthreads();
    if (t == 0) *out = s[0];
}
