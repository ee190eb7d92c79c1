// Bitonic sort of 128 values by 64 threads; steps within a warp get along with __syncwarp, wider ones don't.
//@ run --entry sort --grid 1 --block 64 --arg inout:i32:128=iota
//! clean
//! defect 1: race at a|b|c|d
extern "C" __global__ void sort(int* data)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = data[127 - t];
    s[t + 64] = data[63 - t];
    __syncthreads();
    for (int size = 2; size <= 128; size *= 2) {
        for (int d = size / 2; d > 0; d /= 2) {
            int i = 2 * t - (t & d - 1), j = i + d;
            bool up = (i & size) == 0;
            int a = s[i]; // <- a
            int b = s[j]; // <- b
            if (a > b == up) {
                s[i] = b; // <- c
                s[j] = a; // <- d
            }
#if DEFECT
            if (d > 64) __syncthreads();
            else __syncwarp();
#else
            if (d > 32) __syncthreads();
            else if (d > 1) __syncwarp();
            else __syncthreads();
#endif
        }
    }
    __syncthreads();
    data[t] = s[t];
    data[t + 64] = s[t + 64];
}
