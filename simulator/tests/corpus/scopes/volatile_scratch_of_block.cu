// A volatile global scratch of one block, ordered by barriers. Volatile does not order it by itself.
//@ run --entry scratch --grid 2 --block 64 --arg in:i32:128=iota --arg inout:i32:128=zeros --arg out:i32:128
//! clean
//! defect 1: race at put and get
extern "C" __global__ void scratch(const int* in, int* buffer, int* out)
{
    int t = threadIdx.x, first = blockIdx.x * 64;
#if DEFECT
    volatile int* mine = buffer + first;
    mine[t] = in[first + t]; // <- put
    out[first + t] = buffer[first + 63 - t]; // <- get
#else
    volatile int* mine = buffer + first;
    mine[t] = in[first + t];
    __syncthreads();
    out[first + t] = mine[63 - t];
#endif
}
