// The tile has 64 words, the last thread writes the 65th.
//@ run --entry shared_static --grid 1 --block 64 --arg in:i32:64=small_ints.npy --arg out:i32:64
// status: finished|faulted
// expect: out_of_bounds error shared @ store

extern "C" __global__ void shared_static(const int* in, int* out)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    if (t == 0) tile[0] = 0;
    tile[t + 1] = in[t]; // <- store
    __syncthreads();
    out[t] = tile[t];
}
