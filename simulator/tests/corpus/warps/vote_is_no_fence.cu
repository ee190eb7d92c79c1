// A vote makes the lanes meet but orders no memory between them.
//@ run --entry meet --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: race at store and load
//! defect 2: race at store and load
extern "C" __global__ void meet(const int* in, int* out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t]; // <- store
#if DEFECT == 1
    bool all = __all_sync(0xffffffff, t >= 0);
#elif DEFECT == 2
    bool all = __shfl_sync(0xffffffff, 1, 0);
#else
    bool all = __all_sync(0xffffffff, t >= 0);
    __syncwarp();
#endif
    out[t] = all ? s[31 - t] : 0; // <- load
}
