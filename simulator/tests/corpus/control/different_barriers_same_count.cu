// Two branches of whole warps with a barrier each: the hardware takes any barrier 0, CUDA asks for the same one. Here the branches meet outside.
//@ run --entry roles --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: barrier_divergence at even|odd
//! defect 2: race at even_put|odd_put
extern "C" __global__ void roles(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t / 32 % 2 == 0) {
        s[t] = in[t] * 2; // <- even_put
#if DEFECT == 1
        __syncthreads(); // <- even
#endif
    } else {
        s[t] = in[t] * 3; // <- odd_put
#if DEFECT == 1
        __syncthreads(); // <- odd
#endif
    }
#if !DEFECT
    __syncthreads();
#endif
    out[t] = s[63 - t];
}
