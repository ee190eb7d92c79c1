// Whole blocks return before a barrier that the others meet: the condition is the block's own.
//@ run --entry some --grid 4 --block 64 --arg in:i32:256=iota --arg out:i32:256 --arg i32:3
//! clean
//! defect 1: barrier_divergence warning at meet
//! defect 2: race at put and get
extern "C" __global__ void some(const int* in, int* out, int blocks)
{
    __shared__ int s[64];
#if DEFECT == 1
    if (blockIdx.x * 64 + threadIdx.x >= blocks * 64 - 20) return;
#else
    if (blockIdx.x >= blocks) return;
#endif
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = in[i]; // <- put
#if DEFECT == 2
    if (blockIdx.x & 1) __syncthreads();
#else
    __syncthreads(); // <- meet
#endif
#if DEFECT == 1
    out[i] = s[t / 2];
#else
    out[i] = s[63 - t]; // <- get
#endif
}
