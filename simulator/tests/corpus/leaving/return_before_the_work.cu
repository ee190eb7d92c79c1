// Threads beyond the end return before anything else; each remaining lane hands its value to its neighbour. CUDA asks only lanes that have not left to come to a `__syncwarp()`.
//@ run --entry shift --grid 2 --block 32 --arg in:i32:50=iota --arg out:i32:50 --arg i32:50
//! clean
//! defect 1: race at put and get
//! defect 2: out_of_bounds at load
extern "C" __global__ void shift(const int* in, int* out, int n)
{
    __shared__ int s[32];
    int lane = threadIdx.x, i = blockIdx.x * 32 + lane;
#if DEFECT != 2
    if (i >= n) return;
#endif
    int v = in[i]; // <- load
    s[lane] = v; // <- put
#if DEFECT == 1
    if (false)
#endif
    __syncwarp();
    out[i] = s[lane ? lane - 1 : 0]; // <- get
    if (lane == 0) return;
    __syncwarp(0xfffffffe);
}
