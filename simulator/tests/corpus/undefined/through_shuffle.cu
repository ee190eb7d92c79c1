// A value travels from lane to lane; that of one lane was never set.
//@ run --entry pass --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: uninitialized_read at load|store
extern "C" __global__ void pass(const int* in, int* out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
#if DEFECT
    if (t != 3) s[t] = in[t];
#else
    s[t] = in[t];
#endif
    __syncwarp();
    int v = s[t]; // <- load
    v = __shfl_xor_sync(0xffffffff, v, 1);
    v = __shfl_xor_sync(0xffffffff, v, 2);
    out[t] = v; // <- store
}
