// A tile with one row of padding; the loop over the rows must not take it in.
//@ run --entry rows --grid 1 --block 32 --arg in:i32:128=iota --arg out:i32:32
//! clean
//! defect 1: uninitialized_read at store|sum
extern "C" __global__ void rows(const int* in, int* out)
{
    __shared__ int tile[5][32];
    int t = threadIdx.x;
    for (int y = 0; y < 4; ++y) tile[y][t] = in[y * 32 + t];
    __syncthreads();
    int total = 0;
#if DEFECT
    for (int y = 0; y < 5; ++y) total += tile[y][31 - t]; // <- sum
#else
    for (int y = 0; y < 4; ++y) total += tile[y][31 - t];
#endif
    out[t] = total; // <- store
}
