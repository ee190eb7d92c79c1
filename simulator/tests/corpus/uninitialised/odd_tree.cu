// A tree over a block of 48 must not reach for partners that do not exist.
//@ run --entry total --grid 1 --block 48 --arg in:i32:48=iota --arg out:i32:1
//! clean
//! defect 1: uninitialized_read at add|store
extern "C" __global__ void total(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
#if DEFECT
        if (t < d) {
#else
        if (t < d && t + d < 48) {
#endif
            s[t] += s[t + d]; // <- add
        }
        __syncthreads();
    }
    if (t == 0) {
        *out = s[0]; // <- store
    }
}
