// Odd-even transposition sort: neighbours are exchanged by alternate threads.
//@ run --entry sort --grid 1 --block 64 --arg inout:i32:64=iota
//! clean
//! defect 1: race at a|b|c|d
extern "C" __global__ void sort(int* data)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[63 - t] = data[t];
    __syncthreads();
    for (int k = 0; k < 8; ++k) {
        int i = 2 * (t % 32) + (k & 1);
        if (t < 32 && i + 1 < 64) {
            int low = s[i]; // <- a
            int high = s[i + 1]; // <- b
            if (low > high) {
                s[i] = high; // <- c
                s[i + 1] = low; // <- d
            }
        }
#if !DEFECT
        __syncthreads();
#endif
    }
    __syncthreads();
    data[t] = s[t];
}
