// A multiplication by zero does not make a value out of none, but a bit mask over the unset byte does not use it.
//@ run --entry low --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: uninitialized_read at load|store
extern "C" __global__ void low(const int* in, int* out)
{
    __shared__ __align__(4) unsigned char s[32][4];
    int t = threadIdx.x;
    s[t][0] = in[t];
    s[t][1] = in[t] + 1;
    __syncthreads();
    unsigned word = *(unsigned*)s[31 - t]; // <- load
#if DEFECT
    out[t] = word & 0xffffff; // <- store
#else
    out[t] = word & 0xffff;
#endif
}
