// Ping-pong between two shared arrays by swapped pointers; the defect swaps once too often, so that reading and writing meet.
//@ run --entry rotate --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at turn
extern "C" __global__ void rotate(const int* in, int* out)
{
    __shared__ int a[64], b[64];
    int t = threadIdx.x;
    int *from = a, *to = b;
    a[t] = in[t];
    __syncthreads();
    for (int k = 0; k < 3; ++k) {
        to[t] = from[(t + 33) % 64] + k; // <- turn
        __syncthreads();
        int* old = from;
        from = to;
#if DEFECT
        to = k == 1 ? from : old;
#else
        to = old;
#endif
    }
    out[t] = from[t];
}
