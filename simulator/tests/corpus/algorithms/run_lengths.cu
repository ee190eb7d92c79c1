// Heads of runs are found by looking at the left neighbour, numbered by a scan, and each head writes where its run begins.
//@ run --entry runs --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64 --arg out:i32:1
//! clean
//! defect 1: race at start
//! defect 2: out_of_bounds at left
extern "C" __global__ void runs(const int* in, int* starts, int* n)
{
    __shared__ int number[64];
    int t = threadIdx.x, v = in[t] / 3;
#if DEFECT == 2
    int head = in[t - 1] / 3 != v; // <- left
#else
    int head = t == 0 || in[t - 1] / 3 != v;
#endif
    number[t] = head;
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        int w = t >= d ? number[t - d] : 0;
        __syncthreads();
        number[t] += w;
        __syncthreads();
    }
#if DEFECT == 1
    starts[number[t] - 1] = t; // <- start
#else
    if (head) starts[number[t] - 1] = t;
#endif
    if (t == 63) *n = number[t];
}
