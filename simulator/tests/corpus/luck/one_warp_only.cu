// A block of one warp with lock-step in mind. Some compilers and GPUs keep it in step, CUDA doesn't promise it.
//@ run --entry step --grid 2 --block 32 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at put and get
//! defect 2: race at swap
extern "C" __global__ void step(const int* in, int* out)
{
    __shared__ int s[32];
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    s[t] = in[i]; // <- put
#if DEFECT != 1
    __syncwarp();
#endif
    int v = s[31 - t]; // <- get
#if DEFECT == 2
    s[t] = v; // <- swap
    v += s[t ^ 1]; // <- swap
#else
    __syncwarp();
    s[t] = v;
    __syncwarp();
    v += s[t ^ 1];
#endif
    out[i] = v;
}
