// An unset value is copied through shared memory, registers and back without harm; only who stores it to the output is wrong.
//@ run --entry copies --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: uninitialized_read at first|second|store
extern "C" __global__ void copies(const int* in, int* out)
{
    __shared__ int a[64], b[64];
    int t = threadIdx.x;
    if (t % 2) a[t] = in[t];
    __syncthreads();
    b[63 - t] = a[t]; // <- first
    __syncthreads();
    int v = b[t]; // <- second
#if DEFECT
    out[t] = v; // <- store
#else
    out[t] = t % 2 == 0 ? v : -1;
#endif
}
