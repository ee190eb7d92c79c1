// Dynamic shared memory of one word a thread, or one word less than that.
//@ run --entry reverse --grid 1 --block 64 --shared 256 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: out_of_bounds at store|load; --shared 252
extern __shared__ int pool[];
extern "C" __global__ void reverse(const int* in, int* out)
{
    int t = threadIdx.x;
    pool[t] = in[t]; // <- store
    __syncthreads();
    out[t] = pool[63 - t]; // <- load
}
